"""Programs made shorter, as long as they show the same difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .program import PARTS, Program


def shrink(program: Program, is_failing: Callable[[Program], bool], tries: int = 400) -> Program:
    """Return the program without statements, results and arguments that the failure does not need."""
    shorter = True
    while shorter and tries > 0:
        shorter = False
        for candidate in candidates(program):
            tries -= 1
            if tries <= 0:
                break
            if is_failing(candidate):
                program, shorter = candidate, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Yield programs that lack something: halves of a list first, then single entries, the last first."""
    for name in ("calls", "body", "outside", "inputs"):
        lines = getattr(program, name)
        for size in (len(lines) // 2, len(lines) // 4, 1):
            for start in range(len(lines) - size, -1, -max(size, 1)):
                if size:
                    shorter = program.copy()
                    del getattr(shorter, name)[start:start + size]
                    yield shorter
    for number in range(len(program.results) if len(program.results) > 1 else 0):
        shorter = program.copy()
        del shorter.results[number]
        yield shorter
    yield from unwrap(program)


def unwrap(program: Program) -> Iterator[Program]:
    """Yield programs in which a statement under ``with`` stands alone."""
    for name in PARTS:
        for number, line in enumerate(getattr(program, name)):
            if line.startswith("with wg.") and line.count("\n") == 1:
                shorter = program.copy()
                getattr(shorter, name)[number] = line.partition("\n")[2].strip()
                yield shorter
