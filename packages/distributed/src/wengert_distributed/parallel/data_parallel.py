"""DistributedDataParallel: a module whose gradients are averaged over the ranks while backward runs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import wengert
from wengert import Tensor
from wengert.nn import Module

from wengert_distributed.groups.world import default_group
from wengert_distributed.parallel import data_parallel_checks as checks
from wengert_distributed.parallel.agreement import broadcast_tensors, check_same_parameters
from wengert_distributed.parallel.gradients import Hook, install_hook
from wengert_distributed.parallel.join import Join, Joinable, JoinConfig
from wengert_distributed.parallel.join_hooks import DataParallelJoinHook, any_rank_reduces, begin_iteration
from wengert_distributed.parallel.outputs import leaves_of, map_tensors, numbers_outside, tensors_in
from wengert_distributed.parallel.reducer import Options, Reducer

__all__ = ["DistributedDataParallel"]


def watch_backward(reducer: Reducer, output: Any) -> None:
    """Tell a reducer when the outermost backward from a module's output begins, by hooks on the tensors in it.

    A static graph begins its reduction there; with unused parameters the first gradient does, if there is one.
    """

    def tell(grad: Any) -> None:
        if reducer.synchronizing and not reducer.active:
            (reducer.begin if reducer.options.static_graph else reducer.watch)()

    for tensor in tensors_in(output):
        if tensor.grad_fn is not None:
            tensor.register_hook(tell)


class DistributedDataParallel(Module, Joinable):
    """A module whose gradients are averaged over the ranks of a group, as PyTorch's DistributedDataParallel.

    Each rank calls it with its part of a batch; after ``backward`` the gradients are the average over the ranks, so
    that optimizers do the same everywhere. The parameters and buffers begin with those of rank 0.

    module: the module that computes; all its parameters are there already.
    device_ids, output_device: a GPU that inputs are moved to; None for modules of hosts.
    forward_sync_buffers: broadcast the buffers of rank 0 before each forward (``broadcast_buffers`` is its old name).
    init_sync: check that all ranks have the same parameters, and begin with those of rank 0.
    process_group: the ranks; None for all, or those of device_mesh, a mesh of one dim.
    bucket_cap_mb: how many MiB of gradients are reduced by one collective (25; the first one 1).
    find_unused_parameters: a loss may leave out parameters, different ones on each rank.
    gradient_as_bucket_view: ``grad`` is a view of its bucket, which saves two copies; it must not be kept over a step.
    static_graph: every forward uses the same parameters, as often as the first, in nested backward passes too.
    dim, check_reduction, batched_grad_copy, skip_all_reduce_unused_params: accepted, without an effect.
    Shapes: those of ``module``. A group of one rank costs a call: no hook is installed.
    Raises RuntimeError for a module without parameters that require grad, ValueError for wrong devices, DistError where
    the ranks have different parameters, NotImplementedError for features that are not there.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> model = wg.nn.parallel.DistributedDataParallel(wg.nn.Linear(2, 1))
    >>> model(wg.ones(4, 2)).mean().backward()
    >>> model.module.weight.grad, list(model.state_dict())
    (tensor([[1., 1.]]), ['module.weight', 'module.bias'])
    >>> wg.distributed.destroy_process_group()
    """

    device_ids: list[int] | None
    output_device: Any
    forward_sync_buffers: bool

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool | None = None, init_sync: bool = True, process_group: Any = None,
        bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False,
        gradient_as_bucket_view: bool = False, static_graph: bool = False, delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None, mixed_precision: Any = None, device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False, bucket_cap_mb_list: Sequence[float] | None = None,
        batched_grad_copy: bool = False, forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        self._join_config = JoinConfig()
        self._divide_by_initial_world_size = True
        if (delay_all_reduce_named_params is None) != (param_to_hook_all_reduce is None):
            raise ValueError("delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same "
                             "time.")  # fmt: skip
        checks.check_absent_features(
            {
                "delay_all_reduce_named_params": delay_all_reduce_named_params,
                "mixed_precision": mixed_precision,
            }
        )
        self.process_group: Any = checks.averaging_group(process_group, device_mesh)
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        named = [(name, parameter) for name, parameter in module.named_parameters() if name not in ignored]
        parameters = [parameter for _, parameter in named]
        checks.check_parameters(parameters)
        self.device_ids, self.output_device = checks.checked_devices(device_ids, output_device, parameters)
        self.device: Any = parameters[0].device
        self.dim = dim
        self.module = module
        self.parameters_to_ignore = ignored
        self.forward_sync_buffers, init_sync_buffers = checks.synced_buffers(broadcast_buffers, forward_sync_buffers)
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph: bool = static_graph
        self.require_backward_grad_sync: bool = True
        self.require_forward_param_sync: bool = True
        self._limits = checks.bucket_limits(bucket_cap_mb, bucket_cap_mb_list)
        self.bucket_bytes_cap: int = int(self._limits[-1])
        self._buffers_to_sync = [buffer for name, buffer in module.named_buffers() if name not in ignored]
        self._reducer: Reducer | None = None
        self._used = False
        if self.process_group.size() > 1:
            if init_sync:
                check_same_parameters(named, self.process_group)
                broadcast_tensors(parameters + (self._buffers_to_sync if init_sync_buffers else []), self.process_group)
            self._make_reducer()

    @property
    def broadcast_buffers(self) -> bool:
        """The older name of forward_sync_buffers."""
        return self.forward_sync_buffers

    def _make_reducer(self) -> Reducer:
        """Put hooks on the parameters."""
        sparse = {id(parameter) for parameter in sparse_parameters(self.module)}
        named = [
            (name, parameter)
            for name, parameter in self.module.named_parameters()
            if parameter.requires_grad and name not in self.parameters_to_ignore
        ]
        numbers = frozenset(number for number, (_, parameter) in enumerate(named) if id(parameter) in sparse)
        options = Options(
            self._limits, static_graph=self.static_graph, find_unused=self.find_unused_parameters,
            as_views=self.gradient_as_bucket_view, strict=False, sparse=numbers,
        )  # fmt: skip
        names, parameters = zip(*named, strict=True)
        self._reducer = Reducer(parameters, names, self.process_group, options)
        return self._reducer

    # ---- forward

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module returns."""
        state = self.__dict__  # attributes of modules are slow to set and modules in them to find
        state["_used"] = True
        if state["device_ids"] is not None:
            inputs, kwargs = map_tensors(self._move, inputs), map_tensors(self._move, kwargs)
        reducer = state["_reducer"]
        if reducer is None:
            return state["_modules"]["module"](*inputs, **kwargs)
        return self._forward_of_many(reducer, inputs, kwargs)

    def _move(self, tensor: Tensor) -> Tensor:
        return tensor.to(self.device)

    def _forward_of_many(self, reducer: Reducer, inputs: Any, kwargs: Any) -> Any:
        reduces = wengert.is_grad_enabled() and self.require_backward_grad_sync
        if reduces:
            reducer.check_finished()
        root = begin_iteration(self) if self._join_config.enable else 0
        if self.require_forward_param_sync and self.forward_sync_buffers and self._buffers_to_sync:
            broadcast_tensors(self._buffers_to_sync, self.process_group, root)
        if self._join_config.enable:
            any_rank_reduces(self, reduces)
        output = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = reduces
        if wengert.is_grad_enabled():
            reducer.synchronizing = self.require_backward_grad_sync
        if not reduces:
            return output
        if self.find_unused_parameters and not self.static_graph:
            reducer.absent, reducer.watched = numbers_outside(reducer.parameters, leaves_of(output)), False
        if self.find_unused_parameters or self.static_graph:
            watch_backward(reducer, output)
        return output

    @contextmanager
    def no_sync(self) -> Generator[None, None, None]:
        """Return a context in which gradients are only accumulated on this rank, to be reduced by a later backward.

        The forward has to be inside the context.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # ---- changes

    def register_comm_hook(self, state: Any, hook: Hook) -> None:
        """Reduce each bucket by ``hook(state, bucket)``, which returns a future of the reduced gradients.

        state: anything that the hook needs.   hook: a function of the state and a ``GradBucket`` named ``bucket``.
        Raises TypeError for what is not callable, ValueError for annotations of other types, RuntimeError where there
        is a hook. In a group of one rank the hook is called as well.
        """
        checks.check_comm_hook(hook)
        install_hook(self._reducer or self._make_reducer(), state, hook)

    def _set_static_graph(self) -> None:
        """Declare that every iteration is like the first one. RuntimeError after a forward."""
        if self.static_graph:
            return
        if self._used:
            raise RuntimeError("set_static_graph() should be called before training loop starts and after "
                               "DistributedDataParallel is constructed.")  # fmt: skip
        self.static_graph = True
        if self._reducer is not None:
            hook = self._reducer.hook
            self._reducer.remove()
            self._make_reducer().hook = hook

    # ---- different numbers of inputs

    def join(self, divide_by_initial_world_size: bool = True, enable: bool = True,
             throw_on_early_termination: bool = False) -> Join:  # fmt: skip
        """Return a context for a loop that ends sooner on some ranks than on others.

        The ranks without inputs take part in the reductions of the others, and have their parameters at the end.
        divide_by_initial_world_size: divide gradients by the number of all ranks; False: of those that have inputs.
        enable: False where all ranks have the same number of inputs.
        throw_on_early_termination: raise RuntimeError on all ranks when the first has no inputs left.
        The module must call no collectives of its own, as synchronized batch norm does.
        """
        return Join([self], enable, throw_on_early_termination,
                    divide_by_initial_world_size=divide_by_initial_world_size)  # fmt: skip

    def join_hook(self, **kwargs: Any) -> DataParallelJoinHook:
        """Return what ranks without inputs call.   divide_by_initial_world_size: as for ``join``, True without it."""
        return DataParallelJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The group over which gradients are averaged."""
        return self.process_group

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Sequence[str]
    ) -> None:
        """Name parameters and buffers of a module that are left alone when it is wrapped."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def __del__(self) -> None:
        reducer = self.__dict__.get("_reducer")
        if reducer is not None:
            reducer.remove()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("process_group", "_reducer"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.process_group = default_group()
        self._reducer = None
        if self.process_group.size() > 1:
            self._make_reducer()


def sparse_parameters(module: Module) -> list[Tensor]:
    """Return the weights of embeddings that have sparse gradients."""
    return [
        one.weight
        for one in module.modules()
        if getattr(one, "sparse", False) and isinstance(getattr(one, "weight", None), Tensor)
    ]
