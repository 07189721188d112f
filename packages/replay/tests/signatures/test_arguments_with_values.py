"""Arguments that are no tensors: what counts as another value, containers that are looked into, objects that change."""

import collections
import dataclasses
import datetime
import decimal
import functools
import io

import numpy as np
import pytest
import wengert as wg

explain = wg.replay.explain
NOON = datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC)
LATER = datetime.timezone(datetime.timedelta(hours=1))


class Number(float):
    """A number of a class of its own."""


class Parts(tuple):
    """A tuple of a class of its own."""


class State(dict):
    """A dict of a class of its own."""


@dataclasses.dataclass
class Batch:
    """A batch, as training loops pass one."""

    x: object
    scale: float = 1.0
    more: object = None


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings with a hash."""

    scale: float
    t: object = None


@dataclasses.dataclass(eq=False)
class Same:
    """An object that is equal to itself alone."""

    scale: float


@dataclasses.dataclass
class Outcome:
    """A result with names."""

    loss: object
    count: int


EQUAL = [
    (lambda x, v: x * v.stop, range(0, 3, 2), range(0, 4, 2)),
    (lambda x, v: 1 / (x * v), Number(0.0), Number(-0.0)),
    (lambda x, v: 1 / (x * float(v)), np.longdouble(0.0), np.longdouble(-0.0)),
    (lambda x, v: x * v[0], Parts((1,)), Parts((1.5 - 0.5,))),
    (lambda x, v: x * len(str(v)), decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (lambda x, v: x * v.hour, NOON, NOON.astimezone(LATER)),
    (lambda x, v: x * int(v.astype(int)), np.timedelta64(1, "h"), np.timedelta64(60, "m")),
    (lambda x, v: x * v.scale, Settings(1), Settings(True)),
    (lambda x, v: x[v] * type(v.start)(2), slice(0, 1), slice(False, True)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_equal_values_that_a_function_tells_apart_have_programs_of_their_own(number):
    function, value, other = EQUAL[number]
    captured = wg.capture(function)
    x = wg.tensor([2, 3])
    assert value == other
    for one in (value, value, other, other, value):
        expected, got = function(x, one), captured(x, one)
        assert (got.dtype, got.tolist()) == (expected.dtype, expected.tolist())
    assert wg.replay.explain(captured).replays == 3


@pytest.mark.parametrize("index", [slice(1, None), slice(None, None, 2), (slice(0, 2), ..., None), range(2)], ids=str)
def test_slices_and_ranges_are_values(index):
    def function(x, index):
        return x[list(index) if type(index) is range else index] * 2

    captured = wg.capture(function)
    for k in range(3):
        x = wg.arange(4.0) + k
        assert captured(x, index).tolist() == function(x, index).tolist()
    assert wg.replay.explain(captured).replays == 2
    assert "an object" not in wg.replay.explain(captured).signatures[0]


def test_tensors_in_a_slice_are_arguments():
    captured = wg.capture(lambda x, part: x[part].sum())
    x = wg.arange(6.0)
    for first, last in ((0, 2), (0, 2), (1, 4), (1, 4)):
        assert captured(x, slice(wg.tensor(first), wg.tensor(last))).item() == sum(range(first, last))


def test_a_dataclass_is_looked_into():
    def function(batch, y):
        return Outcome((batch.x * batch.scale - batch.more["y"][0]).square().sum() + y, batch.x.shape[0])

    captured = wg.capture(function)
    for k in range(4):
        batch = Batch(wg.arange(3.0) + k, 0.5, {"y": [wg.ones(3) * k]})
        got, expected = captured(batch, k > 3), function(batch, k > 3)
        assert (type(got), got.count, got.loss.item()) == (Outcome, 3, expected.loss.item())
    assert wg.replay.explain(captured).replays == 3
    assert "batch.x: float32[3], batch.scale: 0.5" in wg.replay.explain(captured).signatures[0]
    captured(Batch(wg.arange(3.0), 0.25, {"y": [wg.ones(3)]}), False)
    assert wg.replay.explain(captured).differences[1] == "unlike program 0: batch.scale is 0.25, not 0.5"


def test_tensors_in_a_frozen_dataclass_are_arguments():
    captured = wg.capture(lambda x, settings: x * settings.scale + settings.t)
    for k in range(4):
        assert captured(wg.ones(2), Settings(2.0, wg.ones(2) * k)).tolist() == [2.0 + k] * 2
    assert wg.replay.explain(captured).replays == 3


def test_a_dataclass_without_tensors_that_has_a_hash_is_given_back_itself():
    settings = Settings(2.0)
    captured = wg.capture(lambda x, settings: (x * settings.scale, settings))
    assert [captured(wg.ones(1), settings)[1] is settings for _ in range(3)] == [True] * 3
    assert wg.replay.explain(captured).replays == 2


def test_an_object_that_is_equal_to_itself_alone_is_not_looked_into():
    captured = wg.capture(lambda x, same: x * same.scale)
    same, other = Same(2.0), Same(2.0)
    assert [captured(wg.ones(1), one).item() for one in (same, same, other)] == [2.0] * 3
    assert len(wg.replay.explain(captured).programs) == 2


def test_gradients_flow_to_the_tensors_of_a_dataclass():
    captured = wg.capture(lambda batch: Outcome((batch.x * batch.more).sum(), 1))
    for k in range(4):
        x = wg.arange(3.0).requires_grad_()
        captured(Batch(x, 1.0, wg.ones(3) * k)).loss.backward()
        assert x.grad.tolist() == [float(k)] * 3
    assert wg.replay.explain(captured).replays >= 2


def test_a_function_that_changes_a_dataclass_runs_as_usual():
    def count(batch):
        batch.scale += 1
        return batch.x * batch.scale

    captured = wg.capture(count)
    batch = Batch(wg.ones(2))
    with pytest.warns(RuntimeWarning, match="changes a list, a dict or a dataclass among its arguments"):
        assert [captured(batch)[0].item() for _ in range(3)] == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("make", [
    lambda x, y: [x, y], lambda x, y: {"a": x, "b": y}, lambda x, y: Batch(x, 1.0, y),
    lambda x, y: collections.OrderedDict(a=x, b=y),
], ids=["list", "dict", "dataclass", "OrderedDict"])  # fmt: skip
def test_tensors_that_change_places_in_an_argument_do_so_in_each_call(make):
    def exchange(pair):
        if isinstance(pair, list):
            pair.reverse()
            return pair[0] * 2
        if isinstance(pair, dict):
            pair["a"], pair["b"] = pair["b"], pair["a"]
            return pair["a"] * 2
        pair.x, pair.more = pair.more, pair.x
        return pair.x * 2

    captured = wg.capture(exchange, quiet=True)
    for _ in range(3):
        pair, same = make(wg.ones(1), wg.zeros(1)), make(wg.ones(1), wg.zeros(1))
        assert (captured(pair).item(), str(pair)) == (exchange(same).item(), str(same))


def test_an_argument_that_gets_a_tensor_from_outside_gets_it_in_each_call():
    weight = wg.full((1,), 3.0)

    def put(batch):
        batch["w"] = weight
        return batch["w"] * 2

    captured = wg.capture(put, quiet=True)
    for _ in range(3):
        batch = {"w": wg.ones(1)}
        assert captured(batch).item() == 6.0
        assert batch["w"] is weight


def test_an_ordered_dict_is_looked_into():
    model = wg.nn.Linear(2, 1)
    captured = wg.capture(lambda values, x: wg.func.functional_call(model, values, x) * 2)
    for k in range(4):
        values = collections.OrderedDict((name, wg.full_like(value, k)) for name, value in model.named_parameters())
        assert captured(values, wg.ones(2)).item() == 6.0 * k
    assert wg.replay.explain(captured).replays >= 2


@pytest.mark.parametrize("make", [
    lambda k: [wg.ones(2) * k], lambda k: {"x": wg.ones(2) * k}, lambda k: (wg.ones(2) * k, 1),
    lambda k: Batch(wg.ones(2) * k), lambda k: collections.OrderedDict(x=wg.ones(2) * k),
], ids=["list", "dict", "tuple", "dataclass", "OrderedDict"])  # fmt: skip
def test_a_capture_that_looks_at_state_replays_with_other_tensors_in_containers(make):
    def function(batch):
        parts = list(batch.values()) if isinstance(batch, dict) else [batch.x] if isinstance(batch, Batch) else batch
        return parts[0] * 2

    captured = wg.capture(function, guard_python=True)
    assert [captured(make(k))[0].item() for k in range(4)] == [0.0, 2.0, 4.0, 6.0]
    assert wg.replay.explain(captured).replays == 3


def test_a_capture_that_looks_at_state_sees_objects_in_containers():
    class Model:
        scale = 2.0

    model = Model()
    captured = wg.capture(lambda x, models: x * models[0].scale, guard_python=True)
    assert [captured(wg.ones(1), [model]).item() for _ in range(2)] == [2.0, 2.0]
    model.scale = 3.0
    assert captured(wg.ones(1), [model]).item() == 3.0


ADVICE = [
    (memoryview(bytearray(b"a")), "pass bytes"), (collections.deque([1]), "pass a list or a tuple"),
    (State(a=1), r"pass a dict \(dict"), (collections.Counter("a"), "pass a dict"),
    (Batch(1, 1.0, {1, 2}), "argument 'v.more' of type set has no value to compare: pass a frozenset"),
    (io.StringIO("a"), "pass a list or a tuple"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ADVICE)))
def test_what_has_no_value_runs_as_usual_with_advice(number):
    value, words = ADVICE[number]
    captured = wg.capture(lambda x, v: x * 2)
    with pytest.warns(RuntimeWarning, match=words):
        assert captured(wg.ones(1), value).item() == 2.0


def test_objects_that_each_call_makes_are_named():
    captured = wg.capture(lambda x, function: function(x), max_programs=2)
    with pytest.warns(RuntimeWarning, match="which differ in function: .* Make the object once, and pass it to all"):
        assert [captured(wg.ones(1), functools.partial(wg.mul, other=2)).item() for _ in range(4)] == [2.0] * 4


def test_a_tuple_of_its_own_class_with_results_runs_as_usual():
    captured = wg.capture(lambda x: Parts((x * 2,)))
    with pytest.warns(RuntimeWarning, match="the result has an object of type Parts in it"):
        assert [captured(wg.ones(1) * k)[0].item() for k in range(3)] == [0.0, 2.0, 4.0]


def test_slices_are_in_files_and_dataclasses_are_not():
    captured = wg.capture(lambda x, part: x[part] * 2)
    for _ in range(2):
        captured(wg.arange(4.0), slice(1, 3))
    file = io.BytesIO()
    wg.replay.explain(captured).programs[0].save(file)
    file.seek(0)
    assert wg.replay.load(file)(wg.arange(4.0), slice(1, 3)).tolist() == [2.0, 4.0]
    captured = wg.capture(lambda batch: batch.x * 2)
    for _ in range(2):
        captured(Batch(wg.ones(2)))
    with pytest.raises(wg.replay.ProgramFileError, match="of type Batch, which no file can hold"):
        wg.replay.explain(captured).programs[0].save(io.BytesIO())


class UserError(Exception):
    """An error of a class of the user's."""


class Stumbler:
    """An object whose hash or == raises an error, or gives no truth value, at some of its calls."""

    def __init__(self, hashes=(), equals=(), value=True):
        self.hashes, self.equals, self.value, self.n = hashes, equals, value, 0

    def trouble(self, when):
        self.n += 1
        if self.n in when:
            raise UserError(self.n)

    def __hash__(self):
        self.trouble(self.hashes)
        return 1

    def __eq__(self, other):
        self.trouble(self.equals)
        return self.value


@pytest.mark.parametrize("options", [
    *[{"hashes": range(n, 1000, step)} for n in range(1, 7) for step in (1, 2, 3, 7)],
    *[{"equals": range(n, 1000, step)} for n in range(1, 4) for step in (1, 2)], {"value": wg.ones(2)},
])  # fmt: skip
@pytest.mark.parametrize("place", [lambda one: one, lambda one: [one], lambda one: {"a": one}])
def test_arguments_whose_hash_or_equality_raises_let_the_function_run_as_usual(options, place):
    f = wg.capture(lambda x, one: x * 2, quiet=True)
    objects = [Stumbler(**options), Stumbler(**options)]
    for k in range(12):
        assert f(wg.full((1,), float(k)), place(objects[k % 2])).item() == 2 * k
    assert [f(wg.full((1,), float(k)), 1).item() for k in range(3)] == [0, 2, 4]
    assert explain(f).replays >= 2
