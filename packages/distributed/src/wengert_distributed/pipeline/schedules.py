"""Schedules: in which order a stage computes the forward and backward passes of micro-batches.

Note [1F1B]
    Stage s of n begins with n - s - 1 forward passes, so that the last stage soon has something to do. Then it
    alternates: one forward pass, one backward pass. It ends with the backward passes that are left. A stage holds the
    graphs of n - s micro-batches at most, however many there are (PipeDream-Flush, arXiv:2006.09503, section 2).
    Gradients are added in the order of the micro-batches in every schedule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor
from wengert_engine import backward, is_grad_enabled, no_grad

from wengert_distributed.pipeline.exchange import ACTIVATION, GRADIENT
from wengert_distributed.pipeline.microbatches import merge, split_arguments, split_value
from wengert_distributed.pipeline.stage import PipelineStage


class Schedule:
    """The base of schedules: one step of training, or of evaluation, over the micro-batches of a batch.

    A subclass says how many forward passes a stage begins with (``warmup``).
    """

    stage: PipelineStage
    n_microbatches: int
    loss_fn: Callable[..., Tensor] | None
    scale_grads: bool

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        *,
        scale_grads: bool = True,
    ) -> None:
        if n_microbatches < 1:
            raise ValueError(f"expected at least one micro-batch, got {n_microbatches}")
        self.stage, self.n_microbatches, self.loss_fn, self.scale_grads = stage, n_microbatches, loss_fn, scale_grads
        self.exchange: Any = stage.exchange

    def warmup(self) -> int:
        """Return the number of forward passes before the first backward pass, less one."""
        raise NotImplementedError

    def step(
        self, *args: Any, target: Any = None, losses: list[Tensor] | None = None, return_outputs: bool = True,
        loss_kwargs: Mapping[str, Any] | None = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run forward and, with a loss_fn, backward for a batch; all stages call it together.

        args, kwargs: of the first stage, the whole batch; kwargs of another stage are its own. Tensors are divided
        along dim 0. target: of the last stage. losses: a list that gets the loss of each micro-batch there.
        loss_kwargs: further arguments of loss_fn.
        Returns the outputs of the whole batch on the last stage, None elsewhere or without return_outputs.

        The gradients that are added to ``grad`` are those of the mean of the losses of the micro-batches, or of their
        sum if scale_grads is False. Raises ValueError where the batch cannot be divided into equal parts, and
        RuntimeError where gradients are off.
        """
        if self.loss_fn is not None and not is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under "
                "torch.no_grad() context. Please call eval() instead."
            )
        return Step(self, args, kwargs, target, loss_kwargs, self.loss_fn is not None).run(losses, return_outputs)

    def eval(
        self, *args: Any, target: Any = None, losses: list[Tensor] | None = None, return_outputs: bool = True,
        loss_kwargs: Mapping[str, Any] | None = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run forward for a batch, without gradients. Arguments and result are those of ``step``."""
        with no_grad():
            return Step(self, args, kwargs, target, loss_kwargs, False).run(losses, return_outputs)


class Schedule1F1B(Schedule):
    """One forward pass, one backward pass, as ``torch.distributed.pipelining.Schedule1F1B``: see Note [1F1B].

    stage: of this rank. n_microbatches: the number of parts of a batch. loss_fn: a function of the last stage's output
    and the target; None for forward passes only. scale_grads: divide gradients by the number of micro-batches.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> stage = wg.distributed.pipelining.PipelineStage(wg.exp, 0, 1)
    >>> wg.distributed.pipelining.Schedule1F1B(stage, 2).step(wg.zeros(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """

    def warmup(self) -> int:
        """Return the number of stages after this one."""
        return self.stage.num_stages - self.stage.stage_index - 1


class ScheduleGPipe(Schedule):
    """All forward passes, then all backward passes, as ``torch.distributed.pipelining.ScheduleGPipe``.

    Its arguments are those of ``Schedule1F1B``, which needs less memory.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> stage = wg.distributed.pipelining.PipelineStage(wg.exp, 0, 1)
    >>> wg.distributed.pipelining.ScheduleGPipe(stage, 2).step(wg.zeros(2))
    tensor([1., 1.])
    >>> wg.distributed.destroy_process_group()
    """

    def warmup(self) -> int:
        """Return the number of micro-batches."""
        return self.n_microbatches


class Step:
    """One run of a schedule over a batch."""

    def __init__(
        self, schedule: Schedule, args: Any, kwargs: Any, target: Any, loss_kwargs: Mapping[str, Any] | None,
        trains: bool,
    ) -> None:  # fmt: skip
        self.schedule, self.stage, self.exchange = schedule, schedule.stage, schedule.exchange
        self.count, self.trains, self.loss_kwargs = schedule.n_microbatches, trains, loss_kwargs or {}
        self.arguments = split_arguments(args if self.stage.is_first else (), kwargs, self.count)
        self.targets = split_value(target, self.count) if self.stage.is_last else []
        self.wants_loss = schedule.loss_fn is not None and (trains or target is not None)
        self.graphs: deque[tuple[Sequence[Tensor], Sequence[Tensor]]] = deque()
        """The inputs of the micro-batches that have run forward only, and the outputs that backward begins with."""
        self.results: list[tuple[Tensor, ...]] = []
        self.losses: list[Tensor] = []

    def run(self, losses: list[Tensor] | None, return_outputs: bool) -> Any:
        """Run all passes and return the outputs of the batch."""
        self.exchange.start()
        warmup = min(self.schedule.warmup(), self.count) if self.trains else self.count
        for number in range(self.count):
            activations = self.forward(number)
            if number < warmup:
                self.exchange.run(activations, [])
            else:
                self.backward(activations)
        while self.graphs:
            self.backward([])
        self.exchange.finish()
        if losses is not None:
            losses[:] = self.losses
        return merge(self.results) if return_outputs and self.stage.is_last else None

    def forward(self, number: int) -> list[Any]:
        """Run the forward pass of a micro-batch and return the operations that send its outputs."""
        args, kwargs = self.arguments[number]
        if not self.stage.is_first:
            args = self.receive_activations()
        outputs = self.stage.forward(args, kwargs)
        after = self.exchange.after
        if after is None:
            self.results.append(tuple(one.detach() for one in outputs))
            ends: Sequence[Tensor] = self.loss(outputs, number) if self.wants_loss else ()
        else:
            after.send_forms(outputs, self.trains)
            ends = [one for one in outputs if one.requires_grad]
        if self.trains:
            self.graphs.append((args if self.exchange.before else (), ends))
        return [] if after is None else after.outgoing(outputs, ACTIVATION)

    def receive_activations(self) -> tuple[Tensor, ...]:
        """Return the outputs of the stage before this one."""
        assert self.exchange.before is not None
        forms = self.exchange.before.receive_forms()
        tensors, operations = self.exchange.before.incoming(ACTIVATION)
        self.exchange.run([], operations)
        return tuple(one.requires_grad_(form.requires_grad) for one, form in zip(tensors, forms, strict=True))

    def loss(self, outputs: Sequence[Tensor], number: int) -> tuple[Tensor]:
        """Return the loss of a micro-batch, scaled as its gradient is to be."""
        assert self.schedule.loss_fn is not None
        output = outputs[0] if len(outputs) == 1 else outputs
        loss = self.schedule.loss_fn(output, self.targets[number], **self.loss_kwargs)
        self.losses.append(loss.detach())
        return (loss / self.count if self.schedule.scale_grads else loss,)

    def backward(self, activations: Sequence[Any]) -> None:
        """Run the backward pass of the oldest micro-batch; activations are sent before."""
        inputs, ends = self.graphs.popleft()
        grads: Sequence[Tensor | None] = [None] * len(ends)
        if self.exchange.after is not None:
            grads, operations = self.exchange.after.incoming(GRADIENT)
            self.exchange.run(activations, operations)
        if ends:
            backward(list(ends), list(grads))
        if self.exchange.before is not None:
            self.exchange.run(self.exchange.before.outgoing(input_gradients(inputs), GRADIENT), [])


def input_gradients(inputs: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of the activations that require grad; zeros where nothing depends on one."""
    return [wc.zeros_like(one) if one.grad is None else one.grad for one in inputs if one.requires_grad]
