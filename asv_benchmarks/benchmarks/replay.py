"""wengert-replay: captured programs and the same programs run eagerly, first calls, memory."""

import wengert as wg

from .replay_programs import PROGRAMS


class Replay:
    """Programs, replayed and eager. tools/compare/replay times them beside other libraries."""

    params = tuple(PROGRAMS)
    param_names = ("program",)

    def setup(self, name: str) -> None:
        self.work = PROGRAMS[name](wg)
        self.captured = wg.capture(self.work.run)
        for _ in range(2):
            self.captured(*self.work.args)

    def time_replay(self, name: str) -> None:
        self.captured(*self.work.args)

    def time_eager(self, name: str) -> None:
        self.work.run(*self.work.args)

    def time_first_call(self, name: str) -> None:
        wg.capture(self.work.run)(*self.work.args)

    def track_bytes_of_values(self, name: str) -> int:
        return int(wg.replay.explain(self.captured).programs[-1].nbytes)

    track_bytes_of_values.unit = "bytes"  # type: ignore[attr-defined]  # asv reads it


class Calls:
    """The work around a program: a captured function of one operation, with few and many arguments and results."""

    params = (1, 8, 64)
    param_names = ("arguments",)

    def setup(self, count: int) -> None:
        self.args = [wg.ones(4) for _ in range(count)]
        self.captured = wg.capture(lambda *args: [one + 1 for one in args])
        for _ in range(2):
            self.captured(*self.args)

    def time_call(self, count: int) -> None:
        self.captured(*self.args)
