"""Sends and receives with derivatives: ops, formulas and batching rules.

Note [Tokens]
    What is sent leaves the graph of one rank and enters that of another; backward goes the other way. A send returns a
    token, a zero through which backward reaches it and receives the gradient. A receive depends on a token: one that
    ``anchor`` makes of the template, plus that of an earlier send of the same rank, if it is passed. So backward goes
    on to what the rank has sent before.

    In a second derivative each of the four messages is exchanged back, by both sides or by none. Whether values depend
    on each other cannot decide it: the gradient that one rank sends may be constant, while the rank that receives it
    differentiates what it computed from it. Therefore an adjoint depends on the token of what it is the adjoint of:
    send's on its own token, and recv's on ``echo``, a zero that is recv's second output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.extend import Tensor

import wengert_distributed as dist
from wengert_distributed.functional.ops import collective
from wengert_distributed.functional.table import FORMULAS


def run_send(self: Tensor, anchor: Tensor | None, dst: int, tag: int, group: Any) -> Tensor:
    """Send a tensor and return its token."""
    dist.send(self.contiguous(), dst, group, tag)
    return self.new_zeros(())


def run_recv(token: Tensor, size: Sequence[int], src: int, tag: int, group: Any) -> tuple[Tensor, Tensor]:
    """Receive a tensor of the token's dtype."""
    result = token.new_empty(tuple(size))
    dist.recv(result, src, group, tag)
    return result, token.new_zeros(())


send_op = collective("send(Tensor self, Tensor? anchor, int dst, int tag, object group) -> Tensor", run_send,
                     "Send a tensor; return its token. The anchor is a tensor that the token depends on.")  # fmt: skip
recv_op: Any = collective(
    "recv(Tensor token, int[] size, int src, int tag, object group) -> (Tensor value, Tensor echo)", run_recv,
    "Return a tensor of src, and a zero.",
)  # fmt: skip


def anchor(tensor: Tensor) -> Tensor:
    """Return a zero without dims that depends on a tensor."""
    return tensor.reshape(-1)[:0].sum(dtype=tensor.dtype)


def send(tensor: Tensor, dst: int, tag: int, group: Any) -> Tensor:
    """Send a tensor and return its token: see Note [Tokens]."""
    return send_op(tensor, None, dst, tag, group)


def recv(tensor: Tensor, token: Tensor | None, src: int, tag: int, group: Any) -> Tensor:
    """Return a tensor of src with the shape and dtype of a tensor, which the result depends on as on the token."""
    own = anchor(tensor)
    return recv_op(own if token is None else own + token, tensor.shape, src, tag, group)[0]  # type: ignore[no-any-return]


def send_adjoint(grad: Tensor, result: Tensor, self_shape: Any, dst: int, tag: int, group: Any) -> tuple[Tensor, None]:
    """Return the gradient of what was sent, which its receiver sends back; that of the token has no value."""
    return recv_op(grad + result, self_shape, dst, tag, group)[0], None


def recv_adjoint(grad: Tensor, echo: Tensor, src: int, tag: int, group: Any) -> Tensor:
    """Send the gradient back; the gradient of the token is a zero that depends on having sent it."""
    return send_op(grad, echo, src, tag, group)


def send_tangent(self_t: Tensor, dst: int, tag: int, group: Any) -> Tensor:
    """Send the tangent, after the value."""
    return send_op(self_t, None, dst, tag, group)


def batch_send(call: Any) -> Any:
    """Send the samples of a batch as one message."""
    return call.expand(call.run(self=call.expanded("self"), anchor=of_one(call, "anchor")))


def batch_recv(call: Any) -> Any:
    """Receive the samples of a batch as one message."""
    value, echo = call.run(token=of_one(call, "token"), size=(call.size, *call["size"]))
    return value, call.expand(echo)


def of_one(call: Any, name: str) -> Any:
    """Return a zero that depends on those of all samples."""
    return call[name].sum(0) if call.batched[name] else call[name]


FORMULAS.derivative("send", joint=send_adjoint, joint_inputs=("self", "anchor"), jvp=send_tangent)
FORMULAS.derivative("recv", token=recv_adjoint,
                    jvp=lambda token_t, size, src, tag, group: recv_op(token_t, size, src, tag, group))  # fmt: skip
FORMULAS.batch("send", batch_send)
FORMULAS.batch("recv", batch_recv)
