"""Write the sample table as pickled calls to standard output: sample_table.py runs it in wengert's environment."""

from __future__ import annotations

import pickle
import sys

import tools.record  # noqa: F401  the path of parity

from parity import sample_table  # type: ignore[import-not-found,unused-ignore] # isort: skip

if __name__ == "__main__":
    families = sample_table.families()
    questions = {op: (families[op], list(sample_table.calls_of(op)), sample_table.names_of(op))
                 for op in sample_table.recorded_ops()}
    sys.stdout.buffer.write(pickle.dumps(questions))
