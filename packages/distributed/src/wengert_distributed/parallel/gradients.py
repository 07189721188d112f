"""Data parallel training of any parameters: their gradients are averaged over the ranks while backward runs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from wengert import Tensor

from wengert_distributed.groups.world import member_group
from wengert_distributed.parallel.agreement import broadcast_tensors, check_same_parameters
from wengert_distributed.parallel.buckets import MEBIBYTE, GradBucket, check_bucket_bytes
from wengert_distributed.parallel.reducer import Options, Reducer

Hook = Callable[[Any, GradBucket], Any]


class DistributedGradients:
    """Averages the gradients of parameters over the ranks of a group, during each backward.

    Each rank computes a loss from its part of the data and calls ``backward``; afterwards ``grad`` of every parameter
    is the average over the ranks, the same on all of them. Buckets of gradients are reduced while others are computed.

    parameters: leaves that require grad, in the same order on all ranks; or pairs of a name and such a tensor.
    group: the ranks; None for all.
    bucket_bytes, first_bucket_bytes: how much is reduced by one collective, and by the first one; 0 for a collective
    for each parameter.
    static_graph: every backward uses the same parameters, as often as the first: it may use some several times, or not.
    find_unused: a backward may leave out parameters, different ones on each rank; their gradient counts as 0, and where
    no rank uses a parameter its ``grad`` stays as it is. Without it that is an error.
    average: divide the sum by the number of ranks, once; False for the sum.
    comm_hook, comm_state: ``comm_hook(comm_state, bucket)`` starts the reduction of a GradBucket instead, and returns
    its future; see ``wengert.distributed.algorithms.ddp_comm_hooks``.
    check: compare names, shapes, dtypes and order of the parameters over the ranks first.
    broadcast: begin with the values of rank 0, also those of ``buffers``, other tensors of a model.
    as_views: ``grad`` becomes a view of its bucket; False to keep ``grad`` apart, which copies it twice.
    sparse: the parameters that have sparse gradients; they are added when backward ends.

    A group of one rank costs nothing: no hook is installed.
    Raises DistError where the ranks have different parameters, RuntimeError for a parameter that does not require grad.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> weight = wg.ones(3, requires_grad=True)
    >>> gradients = wg.distributed.DistributedGradients([weight])
    >>> (weight * 2).sum().backward()
    >>> weight.grad
    tensor([2., 2., 2.])
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, parameters: Iterable[Tensor] | Iterable[tuple[str, Tensor]], group: Any = None, *,
        bucket_bytes: float = 25 * MEBIBYTE, first_bucket_bytes: float = MEBIBYTE, static_graph: bool = False,
        find_unused: bool = False, average: bool = True, comm_hook: Hook | None = None, comm_state: Any = None,
        check: bool = True, broadcast: bool = True, as_views: bool = True, sparse: Iterable[Tensor] = (),
        buffers: Iterable[Tensor] = (),
    ) -> None:  # fmt: skip
        named = named_leaves(parameters)
        self.group: Any = member_group(group)
        self.names: list[str] = [name for name, _ in named]
        self.parameters: list[Tensor] = [parameter for _, parameter in named]
        sizes = {"first_bucket_bytes": first_bucket_bytes, "bucket_bytes": bucket_bytes}
        limits = [check_bucket_bytes(name, size) for name, size in sizes.items()]
        self._options = Options(limits, average, static_graph, find_unused, as_views, True, self._numbers(sparse))
        self._reducer: Reducer | None = None
        if self.group.size() > 1:
            if check:
                check_same_parameters(named, self.group)
            if broadcast:
                broadcast_tensors([*self.parameters, *buffers], self.group)
            self._reducer = self._make_reducer()
        if comm_hook is not None:
            self.register_comm_hook(comm_state, comm_hook)

    def __repr__(self) -> str:
        return f"DistributedGradients({len(self.parameters)} parameters, {self.group})"

    def _numbers(self, sparse: Iterable[Tensor]) -> frozenset[int]:
        """Return the numbers of parameters. ValueError for a tensor that is none of them."""
        numbers = {id(parameter): number for number, parameter in enumerate(self.parameters)}
        try:
            return frozenset(numbers[id(tensor)] for tensor in sparse)
        except KeyError:
            raise ValueError("sparse has to name tensors that are among the parameters") from None

    def _make_reducer(self) -> Reducer:
        return Reducer(self.parameters, self.names, self.group, self._options)

    @property
    def buckets(self) -> list[list[str]]:
        """The names of the parameters of each bucket, in the order of the reductions; none in a group of one."""
        if self._reducer is None:
            return []
        return [[self.names[number] for number in bucket.numbers] for bucket in self._reducer.buckets]

    @contextmanager
    def no_sync(self) -> Generator[None, None, None]:
        """Return a context in which backward only accumulates gradients on this rank, to reduce them later.

        >>> import wengert as wg
        >>> wg.distributed.init_process_group("self")
        >>> weight = wg.ones(3, requires_grad=True)
        >>> gradients = wg.distributed.DistributedGradients([weight])
        >>> with gradients.no_sync():
        ...     (weight * 2).sum().backward()
        >>> (weight * 3).sum().backward()
        >>> weight.grad
        tensor([5., 5., 5.])
        >>> wg.distributed.destroy_process_group()
        """
        if self._reducer is None:
            yield
            return
        before, self._reducer.synchronizing = self._reducer.synchronizing, False
        try:
            yield
        finally:
            self._reducer.synchronizing = before

    def register_comm_hook(self, state: Any, hook: Hook) -> None:
        """Reduce each bucket by ``hook(state, bucket)``, which returns a future of the reduced gradients.

        Raises TypeError for what is not callable, RuntimeError where there is a hook.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self._reducer is None:
            self._reducer = self._make_reducer()
        install_hook(self._reducer, state, hook)

    def remove(self) -> None:
        """Take the hooks away from the parameters: gradients are local again. All ranks call it."""
        if self._reducer is not None:
            self._reducer.remove()
            self._reducer = None


def install_hook(reducer: Reducer, state: Any, hook: Hook) -> None:
    """Let a reducer call a communication hook. RuntimeError where it has one."""
    if reducer.hook is not None:
        raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
    reducer.hook = lambda bucket: hook(state, bucket)


def named_leaves(parameters: Any) -> list[tuple[str, Tensor]]:
    """Return parameters with their names, or numbers where they have none.

    Raises TypeError for what is no tensor, ValueError for no or the same parameter twice, RuntimeError for a tensor
    that does not require grad or is no leaf.
    """
    if isinstance(parameters, Tensor):
        raise TypeError("parameters has to be an iterable of tensors, but got one tensor; put it into a list")
    items: Sequence[Any] = list(parameters)
    named = [item if isinstance(item, tuple) else (str(number), item) for number, item in enumerate(items)]
    for name, parameter in named:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"parameters has to be an iterable of tensors, but {name} is {type(parameter).__name__}")
        if not (parameter.requires_grad and parameter.is_leaf):
            raise RuntimeError(f"parameter {name} has to be a leaf that requires grad: its gradient is reduced")
    if not named:
        raise ValueError("DistributedGradients got an empty parameter list")
    if len({id(parameter) for _, parameter in named}) != len(named):
        raise ValueError("a parameter is in the list twice")
    return named
