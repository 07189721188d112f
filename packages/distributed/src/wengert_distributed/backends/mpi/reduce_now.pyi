from typing import Any, NoReturn, Self, final

from wengert import Tensor

from wengert_distributed.backends.mpi.group import MpiGroup
from wengert_distributed.interface.process_group import Call
from wengert_distributed.interface.work import Channel

def raise_error(error: BaseException) -> NoReturn: ...

@final
class HostMemory: ...

@final
class ReduceNow:
    def __new__(
        cls,
        group: MpiGroup,
        channel: Channel,
        datatypes: dict[Any, tuple[Any, int]],
        ops: dict[Any, tuple[Any, int, bool]],
    ) -> Self: ...
    def __call__(self, tensor: Tensor, op: Any) -> bool: ...
    def call_after(self, call: Call | None) -> Call | None: ...
