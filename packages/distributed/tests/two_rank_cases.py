"""Calls of two ranks that PyTorch's gloo and wengert answer alike: ``tools.record`` asks PyTorch, a test asks wengert.

Each case is a function of the module torch, of torch.distributed and of the rank; its result is written as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool")
OPS = ("SUM", "PRODUCT", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR")


def all_reduce(dtype: str, op: str) -> Callable[..., Any]:
    """Return a case: a reduction of a dtype."""

    def case(torch: Any, dist: Any, rank: int) -> Any:
        t = (torch.arange(6) * (1 if dtype == "bool" else 1 + rank)).to(getattr(torch, dtype))
        dist.all_reduce(t, getattr(dist.ReduceOp, op))
        return t.to(torch.float64).tolist()

    return case


def reduce(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.full((3,), float(rank + 1))
    dist.reduce(t, 1)
    return t.tolist() if rank == 1 else None


def average_of_bfloat16(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.tensor([1 / 3 + rank, 2.0]).to(torch.bfloat16)
    dist.all_reduce(t, dist.ReduceOp.AVG)
    return t.double().tolist()


def send_and_recv(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.zeros(2)
    if rank == 0:
        return dist.send(torch.ones(2), 1)
    return [dist.recv(t, 0), t.tolist()]


def recv_from_any(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.zeros(2)
    if rank == 0:
        return dist.send(torch.ones(2), 1)
    return [dist.recv(t), t.tolist()]


def isend_and_irecv(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.full((2,), float(rank))
    work = dist.isend(t, 1, tag=3) if rank == 0 else dist.irecv(t, 0, tag=3)
    return [work.wait(), t.tolist()]


def batch(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.zeros(1)
    ops = [dist.P2POp(dist.isend, torch.ones(1) * rank, 1 - rank), dist.P2POp(dist.irecv, t, 1 - rank)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return [t.tolist(), *map(repr, ops)]


def gather(torch: Any, dist: Any, rank: int) -> Any:
    parts = [torch.zeros(2) for _ in range(2)] if rank == 0 else None
    dist.gather(torch.full((2,), float(rank)), parts)
    return [one.tolist() for one in parts or []]


def gather_list_on_the_wrong_rank(torch: Any, dist: Any, rank: int) -> Any:
    return dist.gather(torch.ones(1), [torch.ones(1)] * 2, dst=0) if rank == 1 else None


def scatter_list_on_the_wrong_rank(torch: Any, dist: Any, rank: int) -> Any:
    return dist.scatter(torch.ones(1), [torch.ones(1)] * 2, src=0) if rank == 1 else None


def scatter(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.zeros(2)
    dist.scatter(t, [torch.ones(2) * i for i in range(2)] if rank == 0 else None)
    return t.tolist()


def broadcast(torch: Any, dist: Any, rank: int) -> Any:
    t = torch.full((2, 2), float(rank))
    dist.broadcast(t, 1)
    return t.tolist()


def all_gather(torch: Any, dist: Any, rank: int) -> Any:
    parts = [torch.zeros(2) for _ in range(2)]
    dist.all_gather(parts, torch.full((2,), float(rank)))
    return [one.tolist() for one in parts]


def all_gather_single(torch: Any, dist: Any, rank: int) -> Any:
    out = torch.zeros(4)
    dist.all_gather_single(out, torch.ones(2) * rank, async_op=True).wait()
    return out.tolist()


def reduce_scatter(torch: Any, dist: Any, rank: int) -> Any:
    out = torch.zeros(2)
    dist.reduce_scatter(out, list((torch.arange(4.0) + rank).view(2, 2)))
    return out.tolist()


def all_to_all_single_with_splits(torch: Any, dist: Any, rank: int) -> Any:
    out = torch.zeros(2 if rank == 0 else 4)
    dist.all_to_all_single(out, torch.arange(3.0) + 10 * rank, [1, 1] if rank == 0 else [2, 2], [1, 2])
    return out.tolist()


def all_to_all(torch: Any, dist: Any, rank: int) -> Any:
    out = [torch.zeros(2) for _ in range(2)]
    dist.all_to_all(out, list((torch.arange(4.0) + 10 * rank).view(2, 2)))
    return [one.tolist() for one in out]


def all_gather_object(torch: Any, dist: Any, rank: int) -> Any:
    everyone = [None, None]
    dist.all_gather_object(everyone, {"rank": rank, "text": "x" * rank})
    return everyone


def gather_object(torch: Any, dist: Any, rank: int) -> Any:
    everyone = [None, None] if rank == 0 else None
    dist.gather_object({"rank": rank}, everyone)
    return everyone


def broadcast_object_list(torch: Any, dist: Any, rank: int) -> Any:
    objects = [rank, [rank]]
    dist.broadcast_object_list(objects, 1)
    return objects


def scatter_object_list(torch: Any, dist: Any, rank: int) -> Any:
    own = [None, 9]
    dist.scatter_object_list(own, [10, 20] if rank == 0 else None)
    return own


def send_and_recv_objects(torch: Any, dist: Any, rank: int) -> Any:
    objects = [None, None]
    if rank == 0:
        return dist.send_object_list([1, "x"], 1)
    return [dist.recv_object_list(objects, 0), objects]


def group_of_one(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1])
    outside = group == dist.GroupMember.NON_GROUP_MEMBER
    members = None if outside else dist.get_process_group_ranks(group)
    return [outside, dist.get_rank(group), dist.get_world_size(group), members]


def ranks_in_a_group(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1])
    return [dist.get_group_rank(group, 1), dist.get_global_rank(group, 0)] if rank == 1 else None


def rank_beyond_the_group(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1])
    return dist.get_global_rank(group, 1) if rank == 1 else None


def root_outside_the_group(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1])
    return dist.broadcast(torch.ones(1), 0, group=group) if rank == 1 else None


def backend_outside_the_group(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1])
    return dist.get_backend(group) if rank == 0 else None


def order_of_ranks(torch: Any, dist: Any, rank: int) -> Any:
    groups = [dist.new_group([1, 0]), dist.new_group([1, 0], sort_ranks=False)]
    return [[dist.get_process_group_ranks(group), dist.get_rank(group)] for group in groups]


def group_of_members_alone(torch: Any, dist: Any, rank: int) -> Any:
    group = dist.new_group([1], use_local_synchronization=True)
    return group if group is None else dist.get_process_group_ranks(group)


def subgroups(torch: Any, dist: Any, rank: int) -> Any:
    own, groups = dist.new_subgroups(1)
    other, _ = dist.new_subgroups_by_enumeration([[0]])
    return [dist.get_process_group_ranks(own), len(groups), other is None]


def rank_twice(torch: Any, dist: Any, rank: int) -> Any:
    return dist.new_group([0, 0])


def error_of(function: Callable[[], Any]) -> list[str]:
    """Return the name and the first line of the message of what a function raises."""
    try:
        function()
    except Exception as error:
        return [type(error).__name__, str(error).partition("\n")[0]]
    return []


def uneven_inputs(divide: bool) -> Callable[..., Any]:
    """Return a case: rank 1 has two inputs more than rank 0."""

    def case(torch: Any, dist: Any, rank: int) -> Any:
        layer = torch.nn.Linear(1, 1, bias=False).double()
        torch.nn.init.ones_(layer.weight)
        model = torch.nn.parallel.DistributedDataParallel(layer)
        with model.join(divide_by_initial_world_size=divide):
            for number in range(1 + 2 * rank):
                model.zero_grad()
                model(torch.ones(1).double() * (1 + number + rank)).sum().backward()
                with torch.no_grad():
                    layer.weight -= layer.weight.grad / 4
        return layer.weight.tolist()

    return case


def joined_counters(torch: Any, dist: Any, rank: int) -> Any:
    join = dist.algorithms.join

    class Hook(join.JoinHook):  # type: ignore[name-defined, misc]
        def __init__(self, counter: Any) -> None:
            self.counter = counter

        def main_hook(self) -> None:
            self.counter.add(0)

        def post_hook(self, is_last_joiner: bool) -> None:
            self.counter.last = is_last_joiner

    class Counter(join.Joinable):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.count, self.last = 0, None

        def add(self, number: int) -> None:
            t = torch.tensor([number])
            dist.all_reduce(t)
            self.count += t.item()

        def join_hook(self, **kwargs: Any) -> Any:
            return Hook(self)

        join_device = property(lambda self: torch.device("cpu"))
        join_process_group = property(lambda self: dist.group.WORLD)

    counter = Counter()
    with join.Join([counter]):
        for number in range(1 + 3 * rank):
            join.Join.notify_join_context(counter).wait()
            counter.add(number + 1)
    return [counter.count, counter.last]


def exhausted_inputs(torch: Any, dist: Any, rank: int) -> Any:
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))

    def train() -> None:
        with model.join(throw_on_early_termination=True):
            for _ in range(1 + rank):
                model(torch.ones(1)).sum().backward()

    return error_of(train)


def tcp_store(torch: Any, dist: Any, rank: int) -> Any:
    port = [0]
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, 2, True, wait_for_workers=False)
        port = [store.port]
    dist.broadcast_object_list(port)
    if rank == 1:
        store = dist.TCPStore("127.0.0.1", port[0], 2)
    store.set(f"rank {rank}", bytes([rank, 255]))
    dist.barrier()  # simulated ranks take turns: none may wait for another outside of collectives
    other = store.get(f"rank {1 - rank}")
    dist.barrier()
    counts = [store.num_keys(), sorted(store.list_keys())]
    dist.barrier()
    if rank == 1:
        store.append("text", "a")
        store.append("text", "b")
        store.multi_set(["x", "y"], ["1", "2"])
        results = [store.add("n", 2), store.add("n", -3), store.compare_set("c", "", "v"),
                   store.compare_set("c", "w", "x"), store.compare_set("absent", "w", "x"), store.check(["absent"]),
                   store.delete_key("x"), store.delete_key("x"), store.multi_get(["text", "y", "n"])]  # fmt: skip
        store.set_timeout(timedelta(milliseconds=30))
        results += [error_of(lambda: store.get("zz")),
                    error_of(lambda: store.wait(["zz", "yy"], timedelta(milliseconds=20))),
                    error_of(lambda: dist.PrefixStore("a", store).get("zz"))]  # fmt: skip
    else:
        results = []
    dist.barrier()
    return [list(other), counts, [str(result) for result in results]]


def mesh(torch: Any, dist: Any, rank: int) -> Any:
    whole = dist.init_device_mesh("cpu", (2, 1), mesh_dim_names=("dp", "tp"))
    flat = whole._flatten("all")
    return [whole.shape, whole.mesh.tolist(), whole.get_coordinate(), [part.get_local_rank() for part in (
        whole["dp"], whole["tp"], flat)], [dist.get_process_group_ranks(group) for group in whole.get_all_groups()],
        repr(whole["dp"]), repr(flat)]  # fmt: skip


CASES: dict[str, Any] = {f"all_reduce of {dtype} by {op}": all_reduce(dtype, op) for dtype in DTYPES for op in OPS} | {
    case.__name__: case
    for case in (
        reduce, average_of_bfloat16, send_and_recv, recv_from_any, isend_and_irecv, batch, gather,
        gather_list_on_the_wrong_rank, scatter_list_on_the_wrong_rank, scatter, broadcast, all_gather,
        all_gather_single, reduce_scatter, all_to_all_single_with_splits, all_to_all, all_gather_object, gather_object,
        broadcast_object_list, scatter_object_list, send_and_recv_objects, group_of_one, ranks_in_a_group,
        rank_beyond_the_group, root_outside_the_group, backend_outside_the_group, order_of_ranks,
        group_of_members_alone, subgroups, rank_twice, joined_counters, exhausted_inputs, tcp_store, mesh,
    )
} | {
    f"uneven inputs, divided by {'all ranks' if divide else 'ranks with inputs'}": uneven_inputs(divide)
    for divide in (True, False)
}  # fmt: skip


def answers_of(torch: Any, dist: Any) -> dict[str, Any]:
    """Return the results of all cases on this rank; for one that raises, the exception's name."""
    answers: dict[str, Any] = {}
    for name, case in CASES.items():
        try:
            answers[name] = case(torch, dist, dist.get_rank())
        except Exception as error:
            answers[name] = {"raises": type(error).__name__}
    return answers
