"""Small parameters are updated together: with the same results as one by one, whatever is done between steps."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_optim.updates import plan

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"lr": wg.tensor(0.05), "maximize": True}),
    ("AdamW", {"betas": (0.5, 0.6)}),
    ("Adamax", {"weight_decay": 0.1}),
    ("NAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {"betas": (0.5, 0.8)}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Rprop", {}),
    ("ASGD", {"t0": 2, "lambd": 0.1}),
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
]
SHAPES = [(3,), (2, 3), (), (1,), (2, 1, 2), (5,)]


class Twin:
    """An optimizer of a few parameters whose largest bucket element count is given; 0: one by one."""

    def __init__(self, name: str, options: dict[str, Any], small: int) -> None:
        self.small = small
        self.params = [
            (wg.arange(wg.Size(shape).numel(), dtype=wg.float64).reshape(shape) - place).requires_grad_()
            for place, shape in enumerate(SHAPES)
        ]
        groups = [{"params": self.params[:4]}, {"params": self.params[4:], "lr": 0.02}]
        self.optimizer = getattr(wg.optim, name)(groups, **{"lr": 0.1, **options})

    def step(self, number: int, absent: frozenset[int]) -> None:
        for place, param in enumerate(self.params):
            param.grad = None if place in absent else (param.detach() * (place + 1) + number).sin()
        before, plan.SMALL = plan.SMALL, self.small
        try:
            self.optimizer.step()
        finally:
            plan.SMALL = before

    def adopt(self, optimizer: Any) -> None:
        """Go on with another optimizer, which has parameters of its own."""
        self.optimizer = optimizer
        self.params = [param for group in optimizer.param_groups for param in group["params"]]

    def facts(self) -> list[Any]:
        states = [self.optimizer.state[param] for param in self.params if param in self.optimizer.state]
        return [*self.params, *[{name: entry for name, entry in one.items() if entry is not None} for one in states]]


def change_rate(twin: Twin) -> None:
    twin.optimizer.param_groups[0]["lr"] = 0.03


def reload(twin: Twin) -> None:
    twin.optimizer.load_state_dict(copy.deepcopy(twin.optimizer.state_dict()))


def copy_all(twin: Twin) -> None:
    twin.adopt(copy.deepcopy(twin.optimizer))


def pickle_all(twin: Twin) -> None:
    twin.adopt(pickle.loads(pickle.dumps(twin.optimizer)))


def replace_entry(twin: Twin) -> None:
    for name, entry in twin.optimizer.state[twin.params[1]].items():
        if entry is not None and entry.dim():
            twin.optimizer.state[twin.params[1]][name] = entry * 0.5


def write_entry(twin: Twin) -> None:
    for entry in twin.optimizer.state[twin.params[0]].values():
        if entry is not None:
            entry.fill_(2.0)


def replace_data_of_entry(twin: Twin) -> None:
    for entry in twin.optimizer.state[twin.params[0]].values():
        if entry is not None:
            entry.data = entry.data + 1


def forget(twin: Twin) -> None:
    twin.optimizer.state.pop(twin.params[1], None)


def forget_all(twin: Twin) -> None:
    twin.optimizer.state.clear()


def replace_data(twin: Twin) -> None:
    twin.params[1].data = twin.params[1].data * 0.5


def write_data(twin: Twin) -> None:
    twin.params[0].data.mul_(0.5)


def share_data(twin: Twin) -> None:
    first, last = twin.params[0], twin.params[5]
    if first.numel() <= last.numel():
        first.data = last.data[: first.numel()].reshape(first.shape)


def swap_parameters(twin: Twin) -> None:
    params = twin.optimizer.param_groups[0]["params"]
    params[0], params[1] = params[1], params[0]


def replace_parameter(twin: Twin) -> None:
    twin.optimizer.state.pop(twin.params[3], None)
    twin.params[3] = twin.optimizer.param_groups[0]["params"][3] = wg.ones(4, dtype=wg.float64, requires_grad=True)


def add_group(twin: Twin) -> None:
    twin.params.append(wg.full((2,), 0.5, dtype=wg.float64, requires_grad=True))
    twin.optimizer.add_param_group({"params": twin.params[-1]})


CHANGES: list[Callable[[Twin], None]] = [
    change_rate, reload, copy_all, pickle_all, replace_entry, write_entry, replace_data_of_entry, forget, replace_data,
    write_data, share_data, swap_parameters, replace_parameter, add_group,
]  # fmt: skip
ADAGRAD = {"Adagrad"}
"""Its state begins when it is made, so it must not be cleared."""


@settings(max_examples=150, deadline=None)
@given(
    choice=st.sampled_from(OPTIMIZERS),
    program=st.lists(
        st.one_of(
            st.frozensets(st.integers(0, 5), max_size=3),
            st.just(frozenset()),
            st.sampled_from(CHANGES),
            st.sampled_from(CHANGES),
        ),
        min_size=4,
        max_size=14,
    ),
)
def test_together_is_as_one_by_one(choice: tuple[str, dict[str, Any]], program: list[Any]) -> None:
    name, options = choice
    together, single = Twin(name, options, 2048), Twin(name, options, 0)
    for number, instruction in enumerate([frozenset(), frozenset(), *program, frozenset(), frozenset()]):
        for twin in (together, single):
            twin.step(number, instruction) if isinstance(instruction, frozenset) else instruction(twin)
    wg.testing.assert_close(together.facts(), single.facts(), rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(("name", "options"), [one for one in OPTIMIZERS if one[0] not in ADAGRAD], ids=str)
def test_state_may_be_cleared(name: str, options: dict[str, Any]) -> None:
    twins = Twin(name, options, 2048), Twin(name, options, 0)
    for twin in twins:
        for number in range(6):
            twin.step(number, frozenset())
            if number in (2, 3):
                forget_all(twin)
    wg.testing.assert_close(twins[0].facts(), twins[1].facts(), rtol=1e-9, atol=1e-12)


def count_events(function: Callable[[], Any], name: str) -> int:
    with wg.autograd.profiler.profile() as prof:
        function()
    return sum(event.name == name for event in prof.function_events)


def optimizer_of(count: int, size: int, dtype: Any = wg.float32) -> Any:
    params = [wg.ones(size, dtype=dtype, requires_grad=True) for _ in range(count)]
    for param in params:
        param.grad = wg.ones(size, dtype=dtype)
    return wg.optim.Adam(params)


def test_small_parameters_take_one_operation_of_each_kind() -> None:
    optimizer = optimizer_of(30, 10)
    assert count_events(optimizer.step, "aten::lerp_") == 1
    assert count_events(optimizer.step, "aten::addcdiv_") == 1


def test_modules_parameters_are_updated_together() -> None:
    params = [wg.nn.Parameter(wg.ones(2)) for _ in range(5)]
    for param in params:
        param.grad = wg.ones(2)
    optimizer = wg.optim.Adam(params)
    assert count_events(optimizer.step, "aten::lerp_") == 1


def test_large_parameters_are_updated_one_by_one() -> None:
    optimizer = optimizer_of(3, 5000)
    assert count_events(optimizer.step, "aten::lerp_") == 3


def test_many_parameters_have_several_buckets() -> None:
    optimizer = optimizer_of(100, 2000)
    assert 2 <= count_events(optimizer.step, "aten::lerp_") <= 10


def test_each_dtype_has_a_bucket() -> None:
    params = [wg.ones(3, dtype=dtype, requires_grad=True) for dtype in (wg.float32, wg.float64) for _ in range(4)]
    for param in params:
        param.grad = wg.ones_like(param)
    optimizer = wg.optim.Adam(params)
    assert count_events(optimizer.step, "aten::lerp_") == 2
    assert {optimizer.state[param]["exp_avg"].dtype for param in params} == {wg.float32, wg.float64}


def test_the_group_comes_together_again_after_gradients_were_absent() -> None:
    optimizer = optimizer_of(6, 4, wg.float64)
    params = optimizer.param_groups[0]["params"]
    for absent in (None, 2, 2, None, None, 2, None):
        for place, param in enumerate(params):
            param.grad = None if place == absent else wg.ones_like(param)
        optimizer.step()
    for param in params:
        param.grad = wg.ones_like(param)
    for _ in range(40):
        optimizer.step()
    assert count_events(optimizer.step, "aten::lerp_") == 2  # one parameter has had fewer steps


def test_gradients_that_come_and_go_do_not_make_new_buckets_in_every_step() -> None:
    optimizer = optimizer_of(6, 4)
    params = optimizer.param_groups[0]["params"]
    made = set()
    for step in range(60):
        for place, param in enumerate(params):
            param.grad = None if (place + step) % 2 else wg.ones_like(param)
        optimizer.step()
        made.add(id(optimizer.state[params[0]]["exp_avg"]) if params[0].grad is not None else 0)
    assert len(made) < 12


@pytest.mark.host("NumPy arrays of the parameters' memory")
def test_a_parameter_is_written_in_place() -> None:
    optimizer = optimizer_of(3, 4)
    params = optimizer.param_groups[0]["params"]
    arrays = [param.detach().numpy() for param in params]
    views = [param.detach()[1:] for param in params]
    optimizer.step()
    for param, array, view in zip(params, arrays, views, strict=True):
        assert (array == param.detach().numpy()).all()
        assert (view == param.detach()[1:]).all()
        assert (array != 1).all()


@pytest.mark.host("memory that processes share")
def test_shared_state_stays_shared() -> None:
    params = [wg.ones(3, requires_grad=True) for _ in range(3)]
    optimizer = wg.optim.Adagrad(params)
    optimizer.share_memory()
    shared = [optimizer.state[param]["sum"] for param in params]
    for param in params:
        param.grad = wg.ones(3)
    optimizer.step()
    for param, entry in zip(params, shared, strict=True):
        assert optimizer.state[param]["sum"] is entry
        assert entry.is_shared()
        assert (entry == 1).all()


def test_sparse_gradients_after_dense_ones() -> None:
    def train(small: int) -> list[wg.Tensor]:
        params = [wg.ones(3, dtype=wg.float64, requires_grad=True) for _ in range(3)]
        optimizer = wg.optim.SGD(params, lr=0.1)
        for step in range(8):
            for place, param in enumerate(params):
                grad = wg.full((3,), step + place + 1.0, dtype=wg.float64)
                param.grad = grad.to_sparse() if step in (3, 4) and place < step - 1 else grad
            before, plan.SMALL = plan.SMALL, small
            try:
                optimizer.step()
            finally:
                plan.SMALL = before
        return params

    wg.testing.assert_close(train(2048), train(0))


def test_a_users_tensor_stays_in_the_state() -> None:
    optimizer = optimizer_of(3, 2)
    optimizer.step()
    first = optimizer.param_groups[0]["params"][0]
    mine = optimizer.state[first]["exp_avg"] = wg.zeros(2)
    for _ in range(40):
        optimizer.step()
    assert optimizer.state[first]["exp_avg"] is mine
    assert (mine > 0.9).all()


def test_a_class_that_overrides_operations_sees_them() -> None:
    seen = []

    class Watcher(wg.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    params = [wg.ones(2).as_subclass(Watcher).requires_grad_() for _ in range(3)]
    for param in params:
        param.grad = wg.ones(2)
    wg.optim.SGD(params, lr=0.5).step()
    assert seen.count("add_") == 3
    assert [param.detach().tolist() for param in params] == [[0.5, 0.5]] * 3


def test_a_group_that_is_taken_away_is_forgotten() -> None:
    import gc
    import weakref

    optimizer = optimizer_of(2, 2)
    other = wg.ones(2, requires_grad=True)
    other.grad = wg.ones(2)
    optimizer.add_param_group({"params": [other]})
    optimizer.step()
    reference = weakref.ref(other)
    optimizer.param_groups.pop()
    optimizer.state.pop(other)
    del other
    optimizer.step()
    gc.collect()
    assert reference() is None
