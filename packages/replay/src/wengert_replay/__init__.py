"""wengert-replay: record a program once, and run it again without Python.

``capture`` (also ``wengert.capture``) gives a function that records its first call for each signature of arguments and
replays later ones; ``explain`` says which programs there are. tracing.pyx records, program.pyx replays.
docs/decisions/0031-record-by-operations-replay-by-launches.md has the reasons.

>>> import wengert as wg
>>> step = wg.capture(lambda x: (x * x).sum())
>>> float(step(wg.tensor([1.0, 2.0]))), float(step(wg.tensor([3.0, 4.0])))
(5.0, 25.0)
>>> wg.replay.explain(step).replays
1
"""

from wengert_replay import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first
from wengert_replay.capturing import Capture, Explanation, capture, explain
from wengert_replay.program import Program

__version__ = "0.1.0"

__all__ = ["Capture", "Explanation", "Program", "capture", "explain"]
