"""Messages between neighboring stages: activations forward, gradients backward.

Note [Messages of a pipeline]
    Activations and gradients have a tag each. Messages from one stage to another with one tag arrive in the order of
    the micro-batches. Receives are waited for at once, sends only at the end of a step, so that no stage waits for a
    neighbor that is still computing. A send and the receive that follows it are started together, as NCCL needs it:
    there, a send blocks the stream until it is received.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import wengert_core as wc
from wengert_core.extend import Tensor

import wengert_distributed as dist

ACTIVATION, GRADIENT = 1, 2
"""The tags of messages."""


class Form(NamedTuple):
    """The shape of an activation, its dtype, and whether its gradient is sent back."""

    shape: tuple[int, ...]
    dtype: Any
    requires_grad: bool


class Neighbor:
    """The stage before or after this one: what is exchanged with it in a step."""

    rank: int
    group: Any
    device: Any

    def __init__(self, rank: int, group: Any, device: Any) -> None:
        self.rank, self.group, self.device = rank, group, device
        self.forms: list[Form] | None = None
        """The activations that are exchanged with it, once they are known in this step."""

    def send_forms(self, outputs: Sequence[Tensor], trains: bool) -> None:
        """Tell the next stage of the activations that it will get, with the first micro-batch of a step."""
        if self.forms is None:
            self.forms = [Form(tuple(one.shape), one.dtype, trains and one.requires_grad) for one in outputs]
            words = [(form.shape, str(form.dtype).rpartition(".")[2], form.requires_grad) for form in self.forms]
            dist.send_object_list([words], self.rank, self.group)

    def receive_forms(self) -> list[Form]:
        """Return the activations that the stage before this one sends; asked once in a step."""
        if self.forms is None:
            words: list[Any] = [None]
            dist.recv_object_list(words, self.rank, self.group)
            self.forms = [Form(shape, getattr(wc, name), needs) for shape, name, needs in words[0]]
        return self.forms

    def outgoing(self, tensors: Sequence[Tensor], tag: int) -> list[Any]:
        """Return the operations that send tensors."""
        return [dist.P2POp(dist.isend, one.detach().contiguous(), self.rank, self.group, tag) for one in tensors]

    def incoming(self, tag: int) -> tuple[list[Tensor], list[Any]]:
        """Return new tensors, and the operations that receive them: activations, or the gradients of some of these."""
        forms = [form for form in self.forms or [] if tag == ACTIVATION or form.requires_grad]
        tensors = [wc.empty(form.shape, dtype=form.dtype, device=self.device) for form in forms]
        return tensors, [dist.P2POp(dist.irecv, one, self.rank, self.group, tag) for one in tensors]


class Exchange:
    """The exchange of a stage with both neighbors. Works of sends are collected until ``finish``."""

    before: Neighbor | None
    after: Neighbor | None

    def __init__(self, before: Neighbor | None, after: Neighbor | None) -> None:
        self.before, self.after = before, after
        self.sends: list[tuple[Any, Any]] = []

    def start(self) -> None:
        """Begin a step: the forms of activations are exchanged anew."""
        for neighbor in (self.before, self.after):
            if neighbor is not None:
                neighbor.forms = None

    def run(self, outgoing: Sequence[Any], incoming: Sequence[Any]) -> None:
        """Start sends and receives together and wait for the receives. The memory of sends is held until they end."""
        if not outgoing and not incoming:
            return
        works = dist.batch_isend_irecv([*outgoing, *incoming])
        if len(works) == len(outgoing) + len(incoming):
            self.sends += [(work, one.tensor) for work, one in zip(works, outgoing, strict=False)]
            works = works[len(outgoing) :]
        for work in works:
            work.wait()

    def finish(self) -> None:
        """Wait for all sends."""
        sends, self.sends = self.sends, []
        for work, _ in sends:
            work.wait()
