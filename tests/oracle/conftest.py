"""Puts this directory on the import path, so that `oracle_format` and its siblings import in every pytest import mode."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
