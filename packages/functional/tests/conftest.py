"""The tests share functional_facts.py, which tools/record/functional.py imports, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
