"""ZeRO stage 1: each rank holds the optimizer's state of a part of the parameters.

Source: S. Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020, P_os.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import wengert
from wengert import Tensor
from wengert.optim import Optimizer

import wengert_distributed as dist
from wengert_distributed.groups.world import member_group
from wengert_distributed.optim.partition import ParameterBuckets, broadcast_parts, partition, to_cpu
from wengert_distributed.parallel.join import Join, Joinable, JoinConfig, JoinHook

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroJoinHook(JoinHook):
    """Makes the steps of a rank without inputs: of its part of the parameters."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self.optimizer = optimizer

    def main_hook(self) -> None:
        """Make a step with the gradients that are there, and take the other parts from their ranks."""
        self.optimizer._step(None)


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state is divided over the ranks, as ``torch.distributed.optim.ZeroRedundancyOptimizer``.

    Each rank makes the steps of its part of the parameters, with an optimizer that has their state only, and broadcasts
    the results. It goes with averaged gradients, those of DistributedDataParallel or DistributedGradients.

    params: tensors, or dicts with groups of them, in the same order on all ranks, of one dtype.
    optimizer_class: a class or function of parameters and options that returns an optimizer; ``defaults``: the options.
    process_group: the ranks; None for all.
    parameters_as_bucket_view: parameters become views of flat memory, which saves copies when they are broadcast.
    overlap_with_ddp: False.
    Raises TypeError and ValueError for parameters as the optimizers do, NotImplementedError for overlap_with_ddp.

    >>> import wengert as wg
    >>> from wengert_distributed.optim import ZeroRedundancyOptimizer
    >>> wg.distributed.init_process_group("self")
    >>> weight = wg.ones(2, requires_grad=True)
    >>> optimizer = ZeroRedundancyOptimizer([weight], wg.optim.SGD, lr=0.25)
    >>> (weight**2).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000, 0.5000], requires_grad=True)
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, params: Any, optimizer_class: Callable[..., Any], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer has no overlap_with_ddp; leave it out")
        self._ready = False
        Optimizer.__init__(self, checked_parameters(params), defaults)
        self._join_config = JoinConfig()
        self.process_group: Any = member_group(process_group)
        self.world_size: int = self.process_group.size()
        self.rank: int = self.process_group.rank()
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self.optim: Any = optimizer_class(self._partition()[self.rank], **defaults)
        copy_options(self.optim.param_groups, self.param_groups)
        self._buckets = ParameterBuckets(self._parts()) if parameters_as_bucket_view else None
        self._all_state_dicts: list[dict[str, Any]] = []
        self._ready = True

    def _partition(self) -> list[list[dict[str, Any]]]:
        """Return the parameter groups of each rank."""
        return partition(self.param_groups, self.world_size)

    def _parts(self) -> list[list[Tensor]]:
        """Return the parameters of each rank."""
        return [[param for group in groups for param in group["params"]] for groups in self._partition()]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, which is divided over the ranks too. All ranks call it."""
        super().add_param_group(param_group)
        if not self._ready:
            return
        self.optim.add_param_group(self._partition()[self.rank][-1])
        copy_options(self.optim.param_groups[-1:], self.param_groups[-1:])
        if self._buckets is not None:
            self._buckets = ParameterBuckets(self._parts())

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Perform a single step: of this rank's parameters, and take the others from their ranks. All ranks call it.

        closure: a function that computes the loss anew, with its gradients.   Returns what it returned, or None.
        """
        work = Join.notify_join_context(self)
        if work is not None:
            work.wait()
        return self._step(closure, **kwargs)

    def _step(self, closure: Callable[[], Any] | None, **kwargs: Any) -> Any:
        """Perform a single step without a word to the ranks that have no inputs."""
        copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        copy_options(self.optim.param_groups, self.param_groups)
        if self.world_size > 1:
            with wengert.no_grad():
                if self._buckets is not None:
                    self._buckets.broadcast(self.process_group)
                else:
                    broadcast_parts(self._parts(), self.process_group)
        return loss

    # ---- checkpoints

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gather the states of all ranks on one, which may call ``state_dict`` afterwards. All ranks call it.

        to: the rank of the group that gets them, on the host's memory. Raises ValueError for a rank that is not there.
        """
        if not 0 <= to < self.world_size:
            last = self.world_size - 1
            raise ValueError(f"consolidate_state_dict: to has to be a rank of the group, 0 to {last}, but got {to}")
        copy_options(self.param_groups, self.optim.param_groups)
        states: list[Any] | None = [None] * self.world_size if self.rank == to else None
        own = to_cpu(self.optim.state_dict())
        dist.gather_object(own, states, group=self.process_group, group_dst=to)
        self._all_state_dicts = states or []

    def state_dict(self) -> dict[str, Any]:
        """Return the state of all parameters that was gathered last, as an optimizer without ranks would return it.

        It may be loaded on any number of ranks. Raises RuntimeError before ``consolidate_state_dict`` to this rank.
        """
        if not self._all_state_dicts:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global "
                "state."
            )
        result = super().state_dict()
        state: dict[int, Any] = {}
        numbers = self._numbers()
        for groups, local in zip(self._partition(), self._all_state_dicts, strict=True):
            params = [param for group in groups for param in group["params"]]
            for number, param in enumerate(params):
                if number in local["state"]:
                    state[numbers[id(param)]] = local["state"][number]
        result["state"] = dict(sorted(state.items()))
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over this rank's part of a state of all parameters, from ``state_dict`` of any number of ranks.

        It is the state of an optimizer without ranks, too. ValueError where groups or parameters differ in number.
        """
        super().load_state_dict({**state_dict, "state": {}})
        numbers = self._numbers()
        own = self._partition()[self.rank]
        params = [param for group in own for param in group["params"]]
        state = {
            number: state_dict["state"][numbers[id(param)]]
            for number, param in enumerate(params)
            if state_dict["state"].get(numbers[id(param)]) is not None
        }
        groups: list[dict[str, Any]] = []
        for group in own:
            first = sum(len(before["params"]) for before in groups)
            groups.append({**group, "params": list(range(first, first + len(group["params"])))})
        self.optim.load_state_dict({"state": state, "param_groups": groups})
        copy_options(self.param_groups, self.optim.param_groups)
        self._all_state_dicts = []

    def _numbers(self) -> dict[int, int]:
        """Return the number of each parameter, by its id."""
        params = [param for group in self.param_groups for param in group["params"]]
        return {id(param): number for number, param in enumerate(params)}

    def join_hook(self, **kwargs: Any) -> ZeroJoinHook:
        """Return what ranks without inputs call in a Join, after the hook that gives them gradients."""
        return ZeroJoinHook(self)

    @property
    def join_device(self) -> Any:
        """The device of the first parameter."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The group over which the state is divided."""
        return self.process_group


def copy_options(source: Sequence[dict[str, Any]], target: Sequence[dict[str, Any]]) -> None:
    """Copy the options of parameter groups, such as the learning rate, from one list of groups to another."""
    for one, other in zip(source, target, strict=True):
        other.update((name, value) for name, value in one.items() if name not in ("params", "param_names"))


def checked_parameters(params: Iterable[Any]) -> list[Any]:
    """Return parameters or groups of them as a list.

    Raises TypeError for what is neither, ValueError for none, a group without parameters, or several dtypes.
    """
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {params.type()}")
    if not isinstance(params, Iterable):
        raise TypeError(f"`params` argument should be an iterable of Tensors or dicts, but got {type(params).__name__}")
    items: list[Any] = list(params)
    if not items:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not (all(isinstance(item, Tensor) for item in items) or all(isinstance(item, dict) for item in items)):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    groups = items if isinstance(items[0], dict) else [{"params": items}]
    if not all("params" in group for group in groups):
        raise ValueError("Each parameter group passed-in via `params` must have a 'params' key mapping to the "
                         "parameters in the group")  # fmt: skip
    for group in groups:
        group["params"] = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
    types = list(dict.fromkeys(param.type() for group in groups for param in group["params"]))
    if len(types) > 1:
        raise ValueError("ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got "
                         f"both {types[0]} and {types[1]}")  # fmt: skip
    return items
