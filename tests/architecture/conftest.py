"""The helpers beside the tests can be imported: with importlib mode pytest leaves sys.path alone."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
