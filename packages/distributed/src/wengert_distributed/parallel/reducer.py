"""The reduction of gradients while a backward still computes others.

Note [A reduction]
    A hook on every parameter copies a gradient that has arrived into its bucket. A bucket that is full is reduced by
    an asynchronous collective as soon as those before it have been launched (Note [Order of buckets]). When the last
    one is full, a callback is queued that waits for all of them at the end of this backward; it reduces the last one
    itself, since there is little left to hide that behind. Parameters without a gradient are marked as ready with
    zeros: at the first gradient if they are known, else when the backward ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import wengert
from wengert import Tensor
from wengert.autograd import Variable

import wengert_distributed as dist
from wengert_distributed.parallel import errors
from wengert_distributed.parallel.buckets import Bucket, GradBucket, assign_to_buckets, make_buckets
from wengert_distributed.parallel.sparse_gradients import reduce_sparse

CREATE_GRAPH = (
    "Using DistributedDataParallel with create_graph=True  is not well-supported. The higher-order gradient will  not "
    "be synchronized across ranks, and backpropagation  through all_reduce operations will not occur."
)


class Options(NamedTuple):
    """The options of a reduction of gradients."""

    limits: Sequence[float]
    """The bytes of the first bucket, of the second, ...; the last one holds for all further ones."""
    average: bool = True
    """Whether the sum is divided by the number of ranks."""
    static_graph: bool = False
    """Whether every backward uses the same parameters, as often as the first one."""
    find_unused: bool = False
    """Whether a backward may leave out parameters."""
    as_views: bool = True
    """Whether ``grad`` of a parameter is the view of its bucket, not a copy."""
    strict: bool = True
    """Whether a backward has to end a reduction; else several backwards may share one."""
    sparse: frozenset[int] = frozenset()
    """The numbers of parameters with sparse gradients."""


class Reducer:
    """Reduces the gradients of parameters over the ranks of a group during each backward.

    parameters: leaves that require grad, in one order on all ranks.   names: their names, for messages.
    hook: a function of a GradBucket that starts a reduction and returns its future; None: all_reduce.
    ``synchronizing``: whether gradients are reduced or only accumulated.
    """

    def __init__(self, parameters: Sequence[Tensor], names: Sequence[str], group: Any, options: Options) -> None:
        self.parameters = list(parameters)
        self.names = list(names)
        self.group = group
        self.options = options
        self.op = dist.ReduceOp.AVG if options.average else dist.ReduceOp.SUM
        self.participants: int | None = None
        """The divisor of sums, where other ranks have no inputs and do not count; None for all ranks."""
        self.hook: Callable[[GradBucket], Any] | None = None
        self.synchronizing = True
        self.active = False
        self.recording = options.static_graph
        self.rebuilt = options.find_unused and not options.static_graph
        count = len(self.parameters)
        self.expected = [1] * count  # how often a gradient arrives in a reduction
        self.absent: Iterable[int] = ()  # the parameters that are known to have no gradient
        self.watched = False  # whether the end of this backward is waited for
        self.used = [False] * count  # since the last reduction
        self.unused_everywhere: set[int] = set()
        self.buckets: list[Bucket] = []
        self.places: dict[int, tuple[Bucket, Tensor]] = {}
        self.use_buckets(make_buckets(self.parameters, self.assignment(range(count - 1, -1, -1))))
        self.reset()
        self.handles = [
            parameter.register_post_accumulate_grad_hook(partial(self.on_gradient, number))
            for number, parameter in enumerate(self.parameters)
        ]

    def remove(self) -> None:
        """Take the hooks away from the parameters."""
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    # ---- buckets

    def assignment(self, order: Iterable[int]) -> list[list[int]]:
        """Return the parameters of each bucket for gradients that arrive in an order."""
        dense = [number for number in order if number not in self.options.sparse]
        return assign_to_buckets(self.parameters, dense, self.options.limits)

    def use_buckets(self, buckets: list[Bucket]) -> None:
        """Take other buckets."""
        self.buckets = buckets
        self.places = {
            number: (bucket, view)
            for bucket in buckets
            for number, view in zip(bucket.numbers, bucket.views, strict=True)
        }

    def rebuild(self) -> None:
        """Make the buckets anew from the order in which gradients arrived on rank 0."""
        self.rebuilt = True
        order = wengert.tensor(self.arrived, dtype=wengert.int64, device=self.parameters[0].device)
        dist.broadcast(order, group=self.group, group_src=0)
        assignment = self.assignment(order.tolist())
        if assignment == [bucket.numbers for bucket in self.buckets]:
            return
        before = self.places
        self.use_buckets(make_buckets(self.parameters, assignment))
        for number, (_, old) in before.items():
            view = self.places[number][1]
            if self.parameters[number].grad is old:
                view.copy_(old)
                self.parameters[number].grad = view

    # ---- one reduction

    def reset(self) -> None:
        """Be ready for the next reduction."""
        self.active = False
        self.left = list(self.expected)
        self.arrived: list[int] = []
        self.saved: dict[int, Tensor] = {}
        self.ready = 0
        self.launched = 0
        self.tested = 0  # reductions that are known to have ended
        for bucket in self.buckets:
            bucket.missing = len(bucket.numbers)

    def begin(self) -> None:
        """Begin a reduction, at the first gradient of a backward."""
        self.active = True
        if self.options.strict or self.recording or self.options.find_unused:
            self.watch()
        for number in [] if self.recording else self.absent:
            if self.left[number]:
                self.left[number] = 0
                self.mark_unused(number)

    def watch(self) -> None:
        """Look at the end of this backward, the outermost one, for gradients that did not arrive."""
        if not self.watched:
            self.watched = True
            Variable._execution_engine.queue_callback(self.end_of_backward)

    def on_gradient(self, number: int, parameter: Tensor) -> None:
        """Take a gradient that was accumulated in a parameter."""
        self.used[number] = True
        if not self.synchronizing:
            return
        self.test_pending()
        if not self.active:
            self.begin()
        self.left[number] -= 1
        if self.recording:
            self.arrived.append(number)
        elif self.left[number] == 0:
            self.arrived.append(number)
            self.mark_ready(number, parameter)
        elif self.left[number] < 0:
            raise errors.marked_twice(number, self.names[number])

    def mark_ready(self, number: int, parameter: Tensor) -> None:
        """Put the gradient of a parameter into its bucket."""
        if number not in self.options.sparse:
            _, view = self.places[number]
            grad = parameter.grad
            if grad is not view:
                self.copy_gradient(number, view, grad)
                if self.options.as_views:
                    parameter.grad = view
        self.advance(number)

    def copy_gradient(self, number: int, view: Tensor, grad: Any) -> None:
        """Copy a gradient into a bucket. RuntimeError where it is sparse."""
        if grad.requires_grad:
            warnings.warn(CREATE_GRAPH, UserWarning, stacklevel=2)
        if grad.layout != wengert.strided:
            raise errors.sparse_gradient(self.names[number])
        view.copy_(grad.detach())

    def mark_unused(self, number: int) -> None:
        """Put zeros, or what was accumulated before, into the bucket of a parameter that this backward does not use."""
        if number not in self.options.sparse:
            _, view = self.places[number]
            grad = self.parameters[number].grad
            if grad is None:
                view.zero_()
            elif grad is view:
                self.saved[number] = view.clone()
            else:
                self.copy_gradient(number, view, grad)
        self.advance(number)

    def advance(self, number: int) -> None:
        """Launch the buckets that are full and whose turn it is; when all gradients are there, await them later."""
        self.ready += 1
        if number not in self.options.sparse:
            self.places[number][0].missing -= 1
        while self.launched < len(self.buckets) and self.buckets[self.launched].missing == 0:
            bucket = self.buckets[self.launched]
            self.launched += 1
            self.begin_reduction(bucket)
        if self.ready == len(self.parameters):
            Variable._execution_engine.queue_callback(self.finalize)

    def test_pending(self) -> None:
        """Let the oldest reduction under way progress: some transports move memory only while they are asked."""
        if self.hook is None:
            while self.tested < self.launched and self.tested < len(self.buckets) - 1:
                if not self.buckets[self.tested].pending.is_completed():
                    return
                self.tested += 1

    def begin_reduction(self, bucket: Bucket) -> None:
        """Start the reduction of a bucket whose turn it is, unless it is the last, which ``finalize`` reduces."""
        if self.hook is not None:
            self.call_hook(self.hook, bucket)
        elif self.launched < len(self.buckets):
            self.launch(bucket)

    def reduction(self) -> Any:
        """Return the reduction of buckets."""
        return self.op if self.participants is None else dist.ReduceOp.SUM

    def launch(self, bucket: Bucket) -> None:
        """Start the reduction of a bucket."""
        bucket.pending = dist.all_reduce(bucket.flat, op=self.reduction(), group=self.group, async_op=True)

    def call_hook(self, hook: Callable[[GradBucket], Any], bucket: Bucket) -> None:
        """Start the reduction of a bucket by a communication hook."""
        bucket.pending = hook(GradBucket(bucket, len(self.buckets)))
        if isinstance(bucket.pending, Tensor) or not hasattr(bucket.pending, "wait"):
            raise errors.no_future(bucket.pending)

    def wait_for(self, bucket: Bucket) -> None:
        """Wait for the reduction of a bucket and put its result there."""
        result = bucket.pending.wait()
        bucket.pending = None
        if self.hook is None:
            return
        value = result[0] if isinstance(result, list | tuple) else result
        if not isinstance(value, Tensor) or value.numel() != bucket.flat.numel():
            raise errors.wrong_result(bucket.index, bucket.flat.numel(), value)
        if value is not bucket.flat:
            bucket.flat.copy_(value.detach().view(-1))

    # ---- the end of a backward

    def end_of_backward(self) -> None:
        """Finish a reduction that still lacks parameters when a backward ends."""
        self.watched = False
        if self.recording:
            self.launch_recorded()
        elif self.active and self.ready < len(self.parameters):
            missing = self.missing()
            if not self.options.find_unused:
                names = [self.names[number] for number in missing]
                raise errors.unused_parameter_error(missing, names, dist.get_rank(self.group))
            for number in missing:
                self.left[number] = 0
                self.mark_unused(number)

    def missing(self) -> list[int]:
        """Return the numbers of the parameters whose gradients have not arrived."""
        return [number for number, left in enumerate(self.left) if left > 0]

    def launch_recorded(self) -> None:
        """Reduce all buckets after the first backward of a static graph, and note how often each gradient arrived."""
        self.recording = False
        counts = [1 - left for left in self.left]
        self.arrived = list(reversed(dict.fromkeys(reversed(self.arrived))))
        self.expected = [max(count, 1) for count in counts]
        self.absent = [number for number, count in enumerate(counts) if count == 0]
        self.arrived += self.absent
        for number, count in enumerate(counts):
            if count:
                self.mark_ready(number, self.parameters[number])
            else:
                self.mark_unused(number)

    def finalize(self) -> None:
        """Wait for all buckets, and give parameters their gradients."""
        if self.hook is None and self.buckets:
            dist.all_reduce(self.buckets[-1].flat, op=self.reduction(), group=self.group)
        for bucket in self.buckets:
            if bucket.pending is not None:
                self.wait_for(bucket)
            if self.participants is not None and self.options.average and self.hook is None:
                bucket.flat.div_(self.participants)
        self.find_unused()
        for number in sorted(self.options.sparse):
            ranks = self.participants or self.group.size()
            reduce_sparse(self.parameters[number], self.group, ranks if self.options.average else 1)
        with wengert.no_grad():
            for number, (_, view) in self.places.items():
                self.deliver(number, view)
        if not self.rebuilt:
            self.rebuild()
        self.used = [False] * len(self.parameters)
        self.reset()

    def deliver(self, number: int, view: Tensor) -> None:
        """Set the gradient of a parameter from its bucket, unless no rank has used it."""
        parameter = self.parameters[number]
        if number in self.unused_everywhere:
            if number in self.saved:
                view.copy_(self.saved[number])
        elif self.options.as_views:
            if parameter.grad is not view:
                parameter.grad = view
        elif parameter.grad is None or parameter.grad.requires_grad:
            parameter.grad = view.clone()
        else:
            parameter.grad.copy_(view)

    def find_unused(self) -> None:
        """Ask which parameters no rank has used, unless that is known."""
        first_of_static = self.options.static_graph and not self.rebuilt
        if first_of_static or (self.options.find_unused and not self.options.static_graph):
            used = wengert.tensor(self.used, dtype=wengert.int32, device=self.parameters[0].device)
            dist.all_reduce(used, op=dist.ReduceOp.MAX, group=self.group)
            self.unused_everywhere = {number for number, flag in enumerate(used.tolist()) if not flag}

    def check_finished(self) -> None:
        """Raise RuntimeError where a reduction has begun that has not ended."""
        if self.active:
            missing = self.missing()
            raise errors.reduction_error(missing, [self.names[n] for n in missing], dist.get_rank(self.group))
