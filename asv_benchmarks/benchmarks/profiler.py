"""wengert-profiler: an operation while it is recorded, and what is made of a recording.

tools/compare/profiler.py times the first beside PyTorch.
"""

from typing import Any

import wengert as wg
from wengert.autograd.profiler import profile, record_function

LENGTH = 1000
OPTIONS: dict[str, Any] = {
    "on": {}, "shapes": {"record_shapes": True}, "memory": {"profile_memory": True}, "stack": {"with_stack": True},
}


class Recorded:
    """A thousand small operations; "off": without a profiler."""

    params = ("off", *OPTIONS)
    param_names = ("options",)

    def setup(self, options: str) -> None:
        self.x = wg.ones(16)
        self.options = OPTIONS.get(options)

    def time_operations(self, options: str) -> None:
        x = self.x
        if self.options is None:
            for _ in range(LENGTH):
                x * x
            return
        with profile(**self.options):
            for _ in range(LENGTH):
                x * x


class Read:
    """What is made of a hundred thousand events."""

    def setup(self) -> None:
        x = wg.ones(16)
        with profile(record_shapes=True) as prof:
            for _ in range(50_000):
                x * x + x
        self.profile: Any = prof
        prof.key_averages()

    def time_key_averages(self) -> None:
        self.profile.key_averages(group_by_input_shape=True)

    def time_chrome_trace(self) -> None:
        self.profile.export_chrome_trace("/dev/null")


def time_label_without_a_profile() -> None:
    for _ in range(LENGTH):
        with record_function("label"):
            pass
