"""A stage of a pipeline: what one rank computes for each micro-batch, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor

from wengert_distributed.groups.world import member_group
from wengert_distributed.pipeline.exchange import Exchange, Neighbor


class PipelineStage:
    """A part of a model that a rank computes, as ``torch.distributed.pipelining.PipelineStage``.

    submodule: a module, or any callable, of the outputs of the stage before (the first stage: of the arguments of the
    whole model) which returns a tensor or a tuple of tensors. stage_index: its number, from 0; it is the rank in the
    group, otherwise ValueError is raised. num_stages: as many as the group has ranks. device: where it computes.
    group: the ranks, all of them if None. input_args, output_args, output_grads, input_grads: accepted as in PyTorch,
    and not needed: shapes are exchanged with the first micro-batch of each step.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> stage = wg.distributed.pipelining.PipelineStage(wg.exp, 0, 1)
    >>> stage.is_first, stage.is_last
    (True, True)
    >>> wg.distributed.destroy_process_group()
    """

    stage_index: int
    num_stages: int
    device: Any
    is_first: bool
    is_last: bool

    def __init__(
        self,
        submodule: Callable[..., Any],
        stage_index: int,
        num_stages: int,
        device: Any = "cpu",
        input_args: Any = None,
        output_args: Any = None,
        output_grads: Any = None,
        input_grads: Any = None,
        group: Any = None,
    ) -> None:
        self.group: Any = member_group(group)
        if stage_index < 0 or stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        if self.group.size() > num_stages:
            raise RuntimeError(f"Pipeline group size {self.group.size()} cannot be larger than number of stages "
                               f"{num_stages}")  # fmt: skip
        if (self.group.rank(), self.group.size()) != (stage_index, num_stages):
            raise ValueError(f"a rank has one stage: the rank {self.group.rank()} of {self.group.size()} cannot have "
                             f"the stage {stage_index} of {num_stages}")  # fmt: skip
        self.submod = submodule
        self.stage_index, self.num_stages, self.device = stage_index, num_stages, device
        self.is_first, self.is_last = stage_index == 0, stage_index == num_stages - 1
        self.exchange: Any = Exchange(
            None if self.is_first else Neighbor(self.group.ranks[stage_index - 1], self.group, device),
            None if self.is_last else Neighbor(self.group.ranks[stage_index + 1], self.group, device),
        )

    def forward(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Tensor, ...]:
        """Return the outputs for a micro-batch. Raises TypeError where one is no tensor."""
        output = self.submod(*args, **kwargs)
        outputs = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        for one in outputs:
            if not isinstance(one, Tensor):
                raise TypeError(f"the stage {self.stage_index} must return a tensor or a tuple of tensors, got "
                                f"{type(one).__name__}")  # fmt: skip
        return outputs
