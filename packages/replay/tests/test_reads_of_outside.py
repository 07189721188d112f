"""Numbers of tensors from outside that Python reads and that no operation has used: guards with a name and a dtype."""

import types

import pytest
import wengert as wg

TABLE = {number: wg.tensor(3) for number in range(300)}
"""More items than are looked into."""


class Model:
    """An object with a count."""

    def __init__(self, count):
        self.count = wg.tensor(count)


def run(function, *args):
    captured = wg.capture(function)
    for _ in range(3):
        assert captured(*args).tolist() == function(*args).tolist()
    return captured


COUNTS = {
    "variable of the closure": lambda: (lambda count: (lambda x: x * int(count)))(wg.tensor(3)),
    "attribute": lambda: (lambda model: (lambda x: x * int(model.count)))(Model(3)),
    "item of a list": lambda: (lambda counts: (lambda x: x * int(counts[1])))([None, wg.tensor(3)]),
    "dict of an object": lambda: (lambda one: (lambda x: x * int(one.parts["n"])))(
        types.SimpleNamespace(parts={"n": wg.tensor(3)})
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_a_number_that_only_python_reads_is_a_guard_of_its_tensor(name):
    found = wg.replay.explain(run(COUNTS[name](), wg.ones(2)))
    assert found.replays == 2
    assert str(found.programs[0]).splitlines()[1].startswith("guard: w0 is 3")


@pytest.mark.parametrize(("value", "words"), [
    (wg.tensor(2.5, dtype=wg.float64), "guard: w0 is 2.5"), (wg.tensor(True), "guard: w0 is True"),
    (wg.tensor(1.5, dtype=wg.float16), "guard: w0 is 1.5"),
])  # fmt: skip
def test_a_guard_has_the_dtype_of_its_tensor(value, words):
    found = wg.replay.explain(run(lambda x: x * value.item(), wg.ones(2)))
    assert words in str(found.programs[0])
    step = found.programs[0].steps[0]
    assert (step.arguments[0].dtype, step.arguments[0].kind) == (value.dtype, "outside")


def test_a_list_of_numbers_is_a_guard_of_its_tensor():
    weights = wg.tensor([1.5, 2.5])
    captured = run(lambda x: x * weights.tolist()[0], wg.ones(2))
    assert "guard: w0 is [1.5, 2.5]" in str(wg.replay.explain(captured).programs[0])
    weights[0] = 4.0
    assert captured(wg.ones(2)).tolist() == [4.0, 4.0]
    assert "where Python reads [1.5, 2.5], [4.0, 2.5]" in str(wg.replay.explain(captured))


def test_a_count_that_was_replaced_is_read_anew():
    model = Model(3)
    captured = run(lambda x: x * int(model.count), wg.ones(2))
    model.count = wg.tensor(5)
    assert [captured(wg.ones(2))[0].item() for _ in range(3)] == [5.0] * 3
    model.count.fill_(6)
    assert captured(wg.ones(2))[0].item() == 6.0


def test_a_view_that_only_python_reads_is_a_guard():
    table = wg.arange(6.0)
    part = table[2:4]
    captured = run(lambda x: x * part.tolist()[1], wg.ones(2))
    assert wg.replay.explain(captured).replays == 2
    table[3] = 7.0
    assert captured(wg.ones(2)).tolist() == [7.0, 7.0]


def test_a_count_that_is_counted_behind_its_read_is_read_in_each_call():
    count = wg.tensor(0)

    def step(x):
        result = x * 2 if int(count) == 0 else x * 3
        count.add_(1)
        return result

    captured = wg.capture(step, quiet=True)
    assert [captured(wg.ones(1)).item() for _ in range(4)] == [2.0, 3.0, 3.0, 3.0]
    assert count.item() == 4


def test_a_number_of_a_tensor_that_is_not_found_is_said_with_what_to_do():
    captured = wg.capture(lambda x: x * int(TABLE[0]))
    words = r"Python reads a number of a tensor from outside that no operation uses \(.*\): read a clone\(\) of it"
    with pytest.warns(RuntimeWarning, match=words):
        assert [captured(wg.ones(1)).item() for _ in range(3)] == [3.0] * 3
    found = wg.replay.explain(run(lambda x: x * int(TABLE[0].clone()), wg.ones(1)))
    assert found.replays == 2
