"""wengert-replay: record a program once, and run it again without Python.

``capture`` (also ``wengert.capture``) gives a function that records its first call for each signature of arguments and
replays later ones; ``explain`` says which programs there are. ``load`` gives a program from a file that
``Program.save`` wrote. recording/tracing.pyx records, programs/program.pyx replays.
docs/decisions/0031-record-by-operations-replay-by-launches.md has the reasons.

>>> import wengert as wg
>>> step = wg.capture(lambda x: (x * x).sum())
>>> float(step(wg.tensor([1.0, 2.0]))), float(step(wg.tensor([3.0, 4.0])))
(5.0, 25.0)
>>> wg.replay.explain(step).replays
1
"""

from typing import TYPE_CHECKING, Any

from wengert_replay import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first
from wengert_replay.capturing import Capture, capture, explain
from wengert_replay.entries import Explanation
from wengert_replay.exporting import ProgramFileError, ProgramGuardError
from wengert_replay.inspection.validation import ReplayDiffersError
from wengert_replay.programs.program import Program

if TYPE_CHECKING:
    from wengert_replay.contents import Contents
    from wengert_replay.exporting import PortableProgram, load

__version__ = "0.1.0"

__all__ = [
    "Capture", "Contents", "Explanation", "PortableProgram", "Program", "ProgramFileError", "ProgramGuardError",
    "ReplayDiffersError", "capture", "explain", "load",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A name of files of programs, or one for optimizers, loaded now."""
    if name == "Contents":
        from wengert_replay import contents

        return contents.Contents
    if name not in ("PortableProgram", "load"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from wengert_replay import exporting

    return getattr(exporting, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
