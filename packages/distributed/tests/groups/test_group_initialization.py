"""The beginning and the end of process groups, and what they say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar

import pytest
import wengert as wg
from wengert_distributed.extend import ProcessGroup
from wengert_distributed.groups.self_group import SelfGroup
from wengert_registry import registry
from wengert_testing.sim_group import run_ranks

dist = wg.distributed


@pytest.fixture(autouse=True)
def no_world_before_or_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    assert not dist.is_initialized()
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


class OfTwo(SelfGroup):
    """A backend that says it is rank 1 of 2, and takes the memory of GPUs only."""

    backend = "of_two"
    devices: ClassVar[tuple[str, ...]] = ("cuda",)
    asked: ClassVar[list[Any]] = []
    closed: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        self.rank, self.size = 1, 2

    @classmethod
    def connect(cls, rank: int, size: int, init_method: str | None, seconds: float) -> OfTwo:
        cls.asked.append((rank, size, init_method, seconds))
        return cls()

    def close(self) -> None:
        self.closed.append(self)


class OfTwoHosts(OfTwo):
    """The same for the memory of hosts."""

    backend = "of_two_hosts"
    devices: ClassVar[tuple[str, ...]] = ("cpu",)


class NotInstalled(OfTwo):
    """A backend that lacks what it needs."""

    @classmethod
    def is_available(cls) -> bool:
        return False


@pytest.fixture
def backends() -> Iterator[None]:
    group = registry.group("process_groups")
    OfTwo.asked.clear()
    OfTwo.closed.clear()
    with (
        group.register("of_two", OfTwo), group.register("of_two_hosts", OfTwoHosts),
        group.register("not_installed", NotInstalled),
    ):  # fmt: skip
        yield


def test_one_process_alone_needs_no_launcher() -> None:
    assert dist.is_available()
    dist.init_process_group("self")
    assert dist.is_initialized()
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "self")
    assert dist.group.WORLD is dist.GroupMember.WORLD
    assert dist.get_process_group_ranks(None) == [0]
    assert dist.get_pg_count() == 1
    dist.destroy_process_group()
    assert not dist.is_initialized()
    assert dist.group.WORLD is None
    assert dist.get_pg_count() == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"store": dist.HashStore(), "rank": 0, "world_size": 1}, {"init_method": "env://"}, {"timeout": timedelta(1)},
        {"rank": 0, "world_size": 1, "init_method": "tcp://localhost:1"}, {"group_name": "mine"}, {"backend": "SELF"},
    ],
    ids=lambda arguments: next(iter(arguments)),
)  # fmt: skip
def test_arguments_of_pytorch_are_taken(arguments: dict[str, Any]) -> None:
    dist.init_process_group(**{"backend": "self"} | arguments)
    assert dist.get_world_size() == 1


def test_rank_and_size_from_the_environment_are_passed_on(monkeypatch: pytest.MonkeyPatch, backends: None) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    dist.init_process_group("of_two", timeout=timedelta(seconds=7))
    assert OfTwo.asked == [(1, 2, None, 7.0)]
    assert (dist.get_rank(), dist.get_world_size()) == (1, 2)


def test_an_environment_that_the_launcher_contradicts(monkeypatch: pytest.MonkeyPatch, backends: None) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(ValueError, match="the launcher made this process rank 1 of 2: start it with mpiexec -n 4"):
        dist.init_process_group("of_two")
    assert not dist.is_initialized()
    assert len(OfTwo.closed) == 1


def test_a_group_has_a_backend_for_each_kind_of_device(backends: None) -> None:
    dist.init_process_group("cpu:of_two_hosts,cuda:of_two")
    assert dist.get_backend_config() == "cpu:of_two_hosts,cuda:of_two"
    assert dist.get_backend() == "of_two_hosts"
    world = dist.group.WORLD
    assert type(world.channels["cpu"].backend) is OfTwoHosts
    assert type(world.channels["cuda"].backend) is OfTwo
    dist.destroy_process_group()
    assert [type(one) for one in OfTwo.closed] == [OfTwoHosts, OfTwo]


def test_memory_of_a_device_that_the_backend_does_not_take(backends: None) -> None:
    dist.init_process_group("of_two")
    with pytest.raises(RuntimeError, match=r"No backend type associated with device type cpu: .* has cuda:of_two"):
        dist.all_reduce(wg.ones(2))


BAD = {
    "twice": (lambda: [dist.init_process_group("self") for _ in range(2)], ValueError,
              "trying to initialize the default process group twice!"),
    "an unknown backend": (lambda: dist.init_process_group("nope"), AssertionError, "Unknown backend type nope"),
    "ucc": (lambda: dist.init_process_group("ucc"), RuntimeError,
            "Distributed package doesn't have UCC built in: use 'mpi'"),
    "another scheme": (lambda: dist.init_process_group("self", init_method="foo://x"), RuntimeError,
                       "No rendezvous handler for foo://"),
    "no scheme": (lambda: dist.init_process_group("self", init_method="nothing"), RuntimeError,
                  "No rendezvous handler for ://"),
    "a method that is a number": (lambda: dist.init_process_group("self", init_method=3, rank=0, world_size=1),
                                  RuntimeError, "`url` must be a string. <class 'int'>: 3"),
    "no port": (lambda: dist.init_process_group("self", init_method="tcp://127.0.0.1", rank=0, world_size=1),
                ValueError, "Error initializing torch.distributed using tcp:// rendezvous: port number missing"),
    "no path": (lambda: dist.init_process_group("self", init_method="file://", rank=0, world_size=1),
                ValueError, "Error initializing torch.distributed using file:// rendezvous: path missing"),
    "a store that is a str": (lambda: dist.init_process_group("self", store="x", rank=0, world_size=1),
                              TypeError, "incompatible constructor arguments"),
    "a rank beyond the world in the method": (
        lambda: dist.init_process_group("self", init_method="tcp://localhost:1?rank=2&world_size=2"), RuntimeError,
        "rank must be below world_size"),
    "a backend without its library": (lambda: dist.init_process_group("not_installed"), RuntimeError,
                                      "Distributed package doesn't have NOT_INSTALLED built in"),
    "a backend that is a number": (lambda: dist.init_process_group(3), ValueError, "must be string-ish"),
    "a broken pair": (lambda: dist.init_process_group("cpu:self:x"), AssertionError, "Unknown backend type self:x"),
    "half a pair": (lambda: dist.init_process_group("cpu:"), ValueError, "Invalid device:backend pairing"),
    "a device twice": (lambda: dist.init_process_group("cpu:self,cpu:self"), ValueError, "Invalid device:backend"),
    "a device that is not taken": (lambda: dist.init_process_group("cpu:of_two"), ValueError, "does not take memory"),
    "a timeout that is a number": (lambda: dist.init_process_group("self", timeout=3), TypeError,
                                   "Expected timeout argument to be of type datetime.timedelta, got 3"),
    "a negative timeout": (lambda: dist.init_process_group("self", timeout=timedelta(seconds=-1)), RuntimeError,
                           "Invalid timeout"),
    "a rank beyond the size": (lambda: dist.init_process_group("self", rank=1, world_size=1), RuntimeError,
                               "rank < size"),
    "two ranks alone": (lambda: dist.init_process_group("self", rank=0, world_size=2), RuntimeError, "rank 0 of 2"),
    "a store and a method": (lambda: dist.init_process_group("self", store=dist.HashStore(), init_method="env://"),
                             AssertionError, "Cannot specify both init_method and store"),
    "a store without a size": (lambda: dist.init_process_group("self", store=dist.HashStore()), AssertionError,
                               "world_size must be positive if using store"),
    "an end before the beginning": (dist.destroy_process_group, AssertionError, "Process group cannot be None"),
    "another rank than the launcher's": (lambda: dist.init_process_group("of_two", rank=0, world_size=2), ValueError,
                                         "the launcher made this process rank 1 of 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_beginnings_raise_as_pytorch_does(what: str, backends: None) -> None:
    call, exception, phrase = BAD[what]
    with pytest.raises(exception, match=re.escape(phrase)):
        call()


def test_backend_names() -> None:
    assert dist.Backend("SELF") == dist.Backend.SELF == "self"
    assert isinstance(dist.Backend("x"), str)
    assert {"undefined", "mpi", "nccl", "self"} <= set(dist.Backend.backend_list)
    with pytest.raises(ValueError, match="string-ish"):
        dist.Backend(3)
    assert (dist.Backend.GLOO, dist.Backend.UCC, dist.Backend.XCCL) == ("gloo", "ucc", "xccl")
    with pytest.raises(AttributeError, match="NOWHERE"):
        dist.Backend.NOWHERE  # noqa: B018
    assert not dist.is_gloo_available()
    assert dist.is_backend_available("SELF")


@pytest.mark.usefixtures("backends")
@pytest.mark.parametrize("mpi", [True, False])
def test_gloo_is_another_spelling_of_what_moves_the_memory_of_hosts(mpi: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that ask for gloo run as they are, and get_backend says what they got."""
    chosen = "of_two_hosts" if mpi else "self"
    monkeypatch.setattr("wengert_distributed.groups.backends.default_backends", lambda: {"cpu": chosen})
    dist.init_process_group("GLOO")
    assert (dist.get_backend(), dist.get_backend_config()) == (chosen, f"cpu:{chosen}")
    assert mpi or dist.get_backend(dist.new_group([0], backend="gloo")) == "self"
    assert not dist.is_gloo_available()
    assert not dist.is_backend_available("gloo")


def test_gloo_is_a_plugin_where_there_is_one() -> None:
    class Gloo(SelfGroup):
        backend = "gloo"

    with registry.group("process_groups").register("gloo", Gloo):
        dist.init_process_group("gloo")
        assert dist.get_backend() == "gloo"


@pytest.mark.usefixtures("backends")
def test_the_method_gives_rank_and_size_and_the_store_is_handed_on() -> None:
    OfTwo.asked.clear()
    dist.init_process_group("of_two", init_method="tcp://localhost:1?rank=1&world_size=2")
    with pytest.raises(ValueError, match="has no store"):
        dist.distributed_c10d._get_default_store()
    dist.destroy_process_group()
    store = dist.HashStore()
    dist.init_process_group("of_two", store=store, rank=1, world_size=2)
    assert dist.distributed_c10d._get_default_store() is store
    assert [one[:3] for one in OfTwo.asked] == [(1, 2, "tcp://localhost:1?rank=1&world_size=2"), (1, 2, store)]


def test_a_backend_is_registered_by_its_class() -> None:
    class Mine(SelfGroup):
        backend = "mine"

    with pytest.raises(TypeError, match=r"derives from wengert_distributed\.extend\.ProcessGroup"):
        dist.Backend.register_backend("mine", lambda *args: None)
    registration = dist.Backend.register_backend("mine", Mine)
    assert registration is None
    dist.init_process_group("mine")
    assert isinstance(dist.group.WORLD.channels["cpu"].backend, ProcessGroup)
    group = registry.group("process_groups")
    group.unregister(next(one for one in group.candidates() if one.name == "mine"))


def test_the_local_rank_comes_from_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dist.get_node_local_rank(fallback_rank=5) == 5
    with pytest.raises(RuntimeError, match="LOCAL_RANK is not in the environment"):
        dist.get_node_local_rank()
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert dist.get_node_local_rank() == 2


def test_devices_have_default_backends() -> None:
    assert dist.get_default_backend_for_device("cuda:1") == "nccl"
    assert dist.get_default_backend_for_device(wg.device("cpu")) in ("mpi", "self")
    with pytest.raises(ValueError, match="Default backend not registered for device : tpu"):
        dist.get_default_backend_for_device("tpu")


def test_each_simulated_rank_has_its_own_groups() -> None:
    def program() -> tuple[int, int, str]:
        return dist.get_rank(), dist.get_world_size(), dist.get_backend()

    assert run_ranks(3, program) == [(0, 3, "sim"), (1, 3, "sim"), (2, 3, "sim")]
    assert not dist.is_initialized()


def test_names_of_the_module_exist_and_others_are_absent() -> None:
    for name in dist.__all__:
        assert getattr(dist, name) is not None
    assert dist.distributed_c10d.all_reduce is dist.all_reduce
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        dist.no_such_name  # noqa: B018


def test_a_backend_that_is_no_class_of_process_groups_is_refused() -> None:
    with registry.group("process_groups").register("odd", 3), pytest.raises(TypeError, match="'odd': expected a class"):
        wg.distributed.init_process_group("odd")


class Incomplete(ProcessGroup):
    """A backend with a connect that gives what it was told to, and without collectives."""

    backend = "incomplete"
    made: ClassVar[Any] = None

    @classmethod
    def connect(cls, rank: int, size: int, init_method: Any, seconds: float) -> Any:
        return cls.made


def test_a_backend_that_makes_no_group_is_named() -> None:
    with registry.group("process_groups").register("incomplete", Incomplete):
        with pytest.raises(TypeError, match=r"'incomplete': expected Incomplete\.connect\(\) to return a ProcessGroup"):
            dist.init_process_group("incomplete")
        Incomplete.made = Incomplete()
        with pytest.raises(TypeError, match="expected the attribute 'rank' of its group to be an int, got None"):
            dist.init_process_group("incomplete")
        Incomplete.made.rank, Incomplete.made.size = 0, "two"
        with pytest.raises(TypeError, match="expected the attribute 'size' of its group to be an int, got 'two'"):
            dist.init_process_group("incomplete")


def test_a_method_that_a_backend_lacks_is_named() -> None:
    with registry.group("process_groups").register("incomplete", Incomplete):
        Incomplete.made = Incomplete()
        Incomplete.made.rank, Incomplete.made.size = 0, 1
        dist.init_process_group("incomplete")
        with pytest.raises(RuntimeError, match=r"'incomplete' has no method barrier\(\): Incomplete has to define it"):
            dist.barrier()
        dist.destroy_process_group()
    bare = registry.group("process_groups").register("bare", ProcessGroup)
    with bare, pytest.raises(NotImplementedError, match=r"has no method connect\(\)"):
        dist.init_process_group("bare")
