from typing import Any, NoReturn, Self

from wengert import Tensor

from wengert_distributed.backends.mpi.group import MpiGroup
from wengert_distributed.backends.mpi.host_memory import HostTensors
from wengert_distributed.interface.process_group import Call
from wengert_distributed.interface.work import Channel

def raise_error(error: BaseException) -> NoReturn: ...

class BlockingMessages:
    def __new__(
        cls, group: MpiGroup, channel: Channel, tensors: HostTensors, methods: dict[str, Any], *_: Any
    ) -> Self: ...
    def send(self, tensor: Tensor, rank: Any, tag: Any) -> bool: ...
    def recv(self, tensor: Tensor, rank: Any, tag: Any) -> int | None: ...
    def call_after(self, call: Call | None) -> Call | None: ...
