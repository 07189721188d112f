"""Puts this directory on the import path, so that the `oracle_*` modules import in every import mode."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
