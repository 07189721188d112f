"""Bad calls that PyTorch's gloo and wengert answer alike: ``tools.record`` asks PyTorch, a test asks wengert.

bad_calls.txt has them as they are written in programs. An answer is the names of the classes of the exception, the most
special first, and its message; no names where the call returns.
"""

from __future__ import annotations

import importlib
import os
import re
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

LAUNCHER = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""Variables by which PyTorch's launchers number processes."""
OF_THIS_RUN = re.compile(r"/__w/| at 0x|\[F\d|INTERNAL ASSERT")
"""Parts of messages with places in PyTorch's sources, addresses and times."""


class BadCall(NamedTuple):
    """A call, as its source."""

    source: str
    ranks: int
    """1: before init_process_group; 2: on two ranks of a group."""
    phrase: str
    """Words that both messages have; "" where they have none in common."""

    @property
    def name(self) -> str:
        """The name of the case."""
        return f"before {self.source}" if self.ranks == 1 else self.source


def read_calls() -> list[BadCall]:
    """Return the calls of bad_calls.txt."""
    found: list[BadCall] = []
    ranks = 0
    for line in (Path(__file__).parent / "bad_calls.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            ranks += 1
        elif ranks and line:
            source, _, phrase = line.partition("    # ")
            found.append(BadCall(source, ranks, phrase))
    return found


def names_of_calls(torch: Any, rank: int) -> dict[str, Any]:
    """Return what the names in the calls stand for."""
    dist = torch.distributed

    def gone_group() -> Any:
        group = dist.new_group([0, 1])
        dist.destroy_process_group(group)
        return group

    return {
        "torch": torch, "dist": dist, "timedelta": timedelta, "rank": rank, "other": 1 - rank, "gone_group": gone_group,
        "t": lambda: torch.ones(3), "longs": lambda: torch.ones(3, dtype=torch.int64), "group": dist.new_group,
        "members": lambda: dist.new_group([0, 1]), "work": lambda: dist.all_reduce(torch.ones(3), async_op=True),
    }  # fmt: skip


def load_modules(torch: Any) -> None:
    """Import the modules that the calls name."""
    for name in ("nn.functional", "optim", "device_mesh"):
        importlib.import_module(f"{torch.__name__}.distributed.{name}")


def answer_of(source: str, torch: Any, rank: int, lost: re.Pattern[str] | None = None) -> list[Any] | None:
    """Return the answer to a call; None for an error whose message matches ``lost``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(source, names_of_calls(torch, rank))
        except Exception as error:
            if lost is not None and lost.search(str(error)):
                return None
            message = " ".join(str(error).strip().splitlines()[:2])[:240]
            return [[one.__name__ for one in type(error).__mro__], "" if OF_THIS_RUN.search(message) else message]
    return [[], ""]


def leave_launcher() -> None:
    """Forget what a launcher says of this process."""
    for name in LAUNCHER:
        os.environ.pop(name, None)
