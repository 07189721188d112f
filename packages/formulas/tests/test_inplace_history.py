"""Operations in place: the gradient is that of what was written, or the write is refused."""

import pytest
import wengert as wg

ARGUMENTS = [
    lambda: (), lambda: (2,), lambda: (1.5,), lambda: (0,), lambda: (0, 1), lambda: (wg.ones(3),),
    lambda: (wg.ones(3), wg.ones(3)), lambda: (wg.ones(3), wg.ones(3), 0.5), lambda: (2, wg.ones(3)),
    lambda: (wg.ones(3, dtype=wg.bool), 2.0), lambda: (wg.ones(3, dtype=wg.bool), wg.ones(3)),
    lambda: (wg.tensor([0]), wg.ones(1)), lambda: (0, wg.tensor([0]), 1.5), lambda: (0, wg.tensor([0]), wg.ones(1)),
    lambda: ((wg.tensor([0]),), wg.ones(1)),
]  # fmt: skip
NAMES = [name for name in dir(wg.Tensor) if name.endswith("_") and not name.endswith("__")]


def call_in_place(name, arguments):
    """Whether the call wrote to a tensor with a history, and its node before and after."""
    y = wg.tensor([0.3, 0.4, 0.5], requires_grad=True) * 1
    node, version = y.grad_fn, y._version
    try:
        getattr(y, name)(*arguments())
    except (TypeError, ValueError, RuntimeError, IndexError):
        return False, None, None
    return y._version != version, node, y.grad_fn


@pytest.mark.filterwarnings("ignore")
def test_no_write_keeps_the_node_of_what_it_overwrites():
    calls = [(name, *call_in_place(name, arguments)) for name in NAMES for arguments in ARGUMENTS]
    assert len({name for name, wrote, _, _ in calls if wrote}) > 100
    assert [name for name, wrote, before, after in calls if wrote and before is after] == []


@pytest.mark.parametrize("name", ["logical_and_", "logical_or_", "logical_xor_", "logical_not_", "eq_", "lt_"])
def test_truth_values_in_place_have_no_gradient(name):
    x = wg.ones(3, requires_grad=True)
    y = x * 2
    part = y[:2]
    getattr(part, name)(*([] if name == "logical_not_" else [wg.zeros(2)]))
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 2.0]
    x = wg.ones(3)
    _, tangent = wg.func.jvp(lambda x: getattr(x * 2, name)(*([] if name == "logical_not_" else [x])), (x,), (x,))
    assert tangent.tolist() == [0.0, 0.0, 0.0]
