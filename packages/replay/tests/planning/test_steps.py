"""Steps of a program: operations, their arguments and results, what the engine does between them, and their size."""

from __future__ import annotations

import random
import sys

import pytest
import wengert as wg
from wengert_core.extend import Op
from wengert_replay.recording.tracing import Recording
from wengert_replay.trace.values import UnknownArgument, Value
from wengert_testing.programs import Record, random_program


def record(function, *inputs):
    """Return the steps of a function, and the values of its results."""
    recording = Recording(list(inputs))
    recording.start()
    try:
        results = function(*inputs)
    finally:
        recording.stop()
    assert recording.refusal is None
    values = [recording.value_of(t) for t in (results if isinstance(results, (tuple, list)) else [results])]
    recording.close()
    return recording.steps, values, results


def names(steps):
    return [step.name for step in steps]


def run_steps(steps, inputs):
    """Run the steps by their operations; return a function that gives the tensor of a value."""
    tensors = {("input", number): t for number, t in enumerate(inputs)}
    tensors.update({("outside", number): t.detach() for number, t in enumerate(steps.outside)})

    def tensor_of(value):
        if isinstance(value, Value):
            return tensors[value.kind, value.number]
        if type(value) in (tuple, list):
            return type(value)([tensor_of(item) for item in value])
        assert not isinstance(value, UnknownArgument), value
        return value

    with wg.no_grad():
        for step in steps:
            if step.way == "error":
                continue
            found = run_step(step, [tensor_of(one) for one in step.arguments])
            found = list(found) if isinstance(found, (tuple, list)) else [found]
            for value, t in zip(step.results, found, strict=True):
                assert value.dtype is None or (t.dtype is value.dtype and tuple(t.shape) == value.shape)
                tensors[value.kind, value.number] = t
    return tensor_of


def run_step(step, arguments):
    if isinstance(step.op, Op):
        by_name = dict(zip(step.op.params, arguments, strict=True))
        if step.stored_bytes is not None:
            value = step.results[0]
            return wg.frombuffer(bytearray(step.stored_bytes), dtype=value.dtype).reshape(value.shape)
        return step.op(**by_name)
    value = step.results[0] if step.results else None
    if step.name == "guard":
        return ()
    if step.name == "copy":
        source, into = arguments
        if into is None:
            if value.dtype is None:
                return source.clone()
            memory = wg.empty_strided(value.shape, value.strides, dtype=value.dtype)
            return memory.copy_(source.reshape(value.shape))
        return into.copy_(source)
    if step.name == "fill":
        if value.dtype is None:
            return wg.frombuffer(bytearray(arguments[0]), dtype=wg.float64)
        number = wg.frombuffer(bytearray(arguments[0]), dtype=value.dtype)
        return wg.empty_strided(value.shape, value.strides, dtype=value.dtype).copy_(number)
    if step.name == "store":
        memory = wg.frombuffer(bytearray(arguments[0][arguments[1] :]), dtype=value.dtype)
        return memory.as_strided(value.shape, value.strides)
    assert step.name == "view"
    base, dtype, shape, strides, offset = arguments
    assert base.dtype is dtype
    return base.as_strided(shape, strides, base.storage_offset() + offset // base.element_size())


def test_operations_have_their_arguments_by_value_and_by_name():
    steps, (value,), _ = record(lambda x, y: wg.add(x, y, alpha=2).sum(0, keepdim=True), wg.ones(2, 3), wg.ones(3))
    assert names(steps) == ["add", "sum"]
    add, total = steps
    assert isinstance(add.op, Op)
    bound = dict(zip(add.op.params, add.arguments, strict=True))
    assert (bound["self"].name, bound["other"].name, bound["alpha"]) == ("a0", "a1", 2)
    assert bound["self"].shape == (2, 3)
    assert bound["self"].strides == (3, 1)
    assert add.results[0] == total.arguments[0]
    assert total.outputs == (("%1", wg.float32, (1, 3)),)
    assert value == total.results[0]
    assert value.step == 1
    assert "test_steps.py" in add.line
    assert add.code.co_name == "<lambda>"


def test_sequences_slices_and_none_are_arguments_as_they_were():
    index = wg.tensor([1, 0])

    def function(x):
        return wg.cat([x[:, 1:3], x[..., :1], x[index, None].sum(1)[:, :1]], 1)[index]

    steps, values, result = record(function, wg.ones(2, 4))
    cat = next(step for step in steps if step.name == "cat")
    assert [one.shape for one in cat.arguments[0]] == [(2, 2), (2, 1), (2, 1)]
    assert type(cat.arguments[0]) is list
    assert steps.outside[0].data_ptr() == index.data_ptr()
    tensor_of = run_steps(steps, [wg.full((2, 4), 2.0)])
    assert tensor_of(values[0]).tolist() == (result * 2).tolist()


def test_a_view_does_not_take_the_name_of_what_it_views():
    def function(x):
        y = x * 2
        z = y.view(6)
        return y + 1, z + 1, y.detach() * 3

    steps, _, _ = record(function, wg.ones(2, 3))
    by_name = {}
    for step in steps:
        by_name.setdefault(step.name, []).append(step)
    first, second = by_name["add"]
    assert first.arguments[0].shape == (2, 3)
    assert second.arguments[0].shape == (6,)
    assert by_name["mul"][1].arguments[0] == by_name["mul"][0].results[0] or "detach" in by_name


def test_a_write_gives_another_value():
    def function(x):
        y = x + 1
        y.mul_(2)
        return y + 3

    steps, _, _ = record(function, wg.ones(2))
    assert names(steps) == ["add", "mul_", "add"]
    assert steps[1].arguments[0] == steps[0].results[0]
    assert steps[2].arguments[0] == steps[1].results[0] != steps[0].results[0]


def test_python_data_is_stored_once_it_is_used():
    steps, (value,), result = record(lambda x: x * wg.tensor([1.0, 2.0]), wg.ones(2))
    tensor_of = run_steps(steps, [wg.full((2,), 3.0)])
    assert tensor_of(value).tolist() == [3, 6]
    assert result.tolist() == [1, 2]


def test_python_data_in_memory_that_the_engine_wrote_before_is_stored():
    w = wg.tensor([2.0, 3.0], requires_grad=True)

    def function(x):
        w.grad = None
        (w * x).sum().backward()
        kept = w.grad + 0
        w.grad = None
        return kept * wg.tensor([10.0, 100.0])

    captured = wg.capture(function)
    for k in range(4):
        assert captured(wg.tensor([1.0 + k, 2.0])).tolist() == [10 * (1 + k), 200]


def test_what_the_engine_does_between_operations_is_told():
    w = wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

    def function(x):
        w.grad = None
        (w.t().expand(2, 2, 2) * x).sum().backward()
        y = w.grad * 2
        return y, w.grad.sum().item()

    recording = Recording([wg.ones(2)])
    recording.start()
    y, number = function(recording.inputs[0])
    recording.stop()
    steps, value = recording.steps, recording.value_of(y)
    recording.close()
    assert number == 8
    assert "guard" in names(steps)
    guard = next(step for step in steps if step.name == "guard")
    assert guard.results == ()
    assert guard.arguments[0] == next(step for step in reversed(list(steps)) if step.name == "sum").results[0]
    tensor_of = run_steps(steps, [wg.full((2,), 2.0)])
    assert tensor_of(value).tolist() == [[8, 8], [8, 8]]


def test_constants_are_not_confused():
    values = [0.0, -0.0, 1, 1.0, True, 1 + 0j, 2.0, 2]
    steps, _, _ = record(lambda x: [wg.mul(x, one) for one in values], wg.ones(1))
    got = [step.arguments[1] for step in steps if step.name == "mul"]
    assert [(type(one), repr(one)) for one in got] == [(type(one), repr(one)) for one in values]


def test_steps_are_a_sequence():
    steps, _, _ = record(lambda x: (x + 1) * 2 - 3, wg.ones(1))
    assert len(steps) == 3
    assert names(steps[1:]) == ["mul", "sub"]
    assert steps[-1].name == "sub"
    assert steps.step_of(99).name == "sub"
    with pytest.raises(IndexError):
        steps[3]
    empty, _, _ = record(lambda x: x, wg.ones(1))
    assert len(empty) == 0
    assert empty.step_of(0) is None


def iterate(x, n):
    w = wg.tensor(0.5, dtype=wg.float64, requires_grad=True)
    y = x
    for k in range(n):
        y = y + 0.01 * (w * y - y * y) * float(k)
    y.backward()
    return w.grad


def test_a_step_takes_few_bytes():
    steps, _, _ = record(lambda x: iterate(x, 500), wg.tensor(1.0, dtype=wg.float64))
    assert len(steps) > 4000
    assert steps.nbytes < 32 * len(steps)


def test_a_recording_keeps_no_objects_for_each_operation():
    def blocks_of(n):
        x = wg.tensor(1.0, dtype=wg.float64)
        recording = Recording([x])
        recording.start()
        before = sys.getallocatedblocks()
        y = x
        for _ in range(n):
            y = y + 0.01 * (x * y - y * y)
        y = y.detach()
        after = sys.getallocatedblocks()
        recording.stop()
        recording.close()
        return after - before

    blocks_of(10)
    few, many = blocks_of(100), blocks_of(2100)
    assert many - few < 200  # of 8,000 operations


class Numbers(Record):
    """A record of a random program on tensors that are made of its argument."""

    def __init__(self, numbers):
        self.engine, self.wide, self.retained, self.seen, self.errors = wg, set(), [], [], []
        self.leaves = [numbers[:6].reshape(2, 3).clone().requires_grad_(), numbers[6:9].clone().requires_grad_()]
        self.scalar = numbers[11].clone()
        self.make = [*self.leaves, numbers[6:].reshape(2, 3).clone()]

    def hook(self, doubling):
        return lambda grad: grad * 2 if doubling and grad is not None else None


def test_random_programs_can_be_run_again_by_their_steps():
    compared = 0
    for seed in range(40):
        compared += compare_program(random_program(random.Random(seed)))
    assert compared > 40


def compare_program(program_steps):
    """Run a random program, and its steps by their operations; return how many results were compared."""
    numbers = wg.tensor([0.1 * k - 0.45 for k in range(12)], dtype=wg.float64)
    recording = Recording([numbers])
    recording.start()
    taken = Numbers(numbers)
    for step in program_steps:
        try:
            taken.step(*step)
        except RuntimeError:
            break
    results = [one for one in taken.make if one.numel()]
    recording.stop()
    values = [recording.value_of(one.detach()) for one in results]
    recording.close()
    if recording.refusal is not None:
        return 0
    tensor_of = run_steps(recording.steps, [numbers.clone()])
    known = [(value, result) for value, result in zip(values, results, strict=True) if value is not None]
    for value, result in known:
        assert tensor_of(value).tolist() == result.tolist(), (program_steps, names(recording.steps))
    return len(known)


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_an_error_that_is_caught_is_a_step_and_a_guard():
    def function(x, index):
        try:
            return wg.gather(x, 0, index)
        except RuntimeError:
            return x * 10

    captured = wg.capture(function)
    bad, good = wg.tensor([5, 0]), wg.tensor([1, 0])
    x = wg.tensor([1.0, 2.0])
    assert captured(x, bad).tolist() == [10, 20]
    steps = wg.replay.explain(captured).programs[0].steps
    assert [(step.name, step.way) for step in steps] == [("gather", "error"), ("mul", "launches")]
    assert captured(x + 1, bad).tolist() == [20, 30]
    assert captured(x, good).tolist() == [2, 1]
    assert captured(x, bad).tolist() == [10, 20]


def test_tangents_are_computed_by_replays():
    def function(x, direction):
        return wg.func.jvp(lambda t: (t * t).sin().sum(), (x,), (direction,))

    captured = wg.capture(function)
    for k in range(3):
        x, direction = wg.tensor([0.1 * k, 1.0]), wg.tensor([1.0, 0.5 * k])
        assert [one.tolist() for one in captured(x, direction)] == [one.tolist() for one in function(x, direction)]
    assert wg.replay.explain(captured).replays == 2
