"""State that objects change by their methods: found wherever the object is, and whatever calls the method."""

import contextlib
import functools
import operator

import pytest
import wengert as wg


class Schedule:
    """A counter that is changed and read by methods, operators and properties."""

    total = 0

    def __init__(self):
        self.k = 0

    def tick(self):
        self.k += 1

    def value(self):
        return 1 / (1 + self.k)

    @property
    def following(self):
        self.k += 1
        return self.k

    @classmethod
    def count(cls):
        cls.total += 1
        return cls.total


class Operators(Schedule):
    def advance(self, *, n):
        self.k += n
        return self.k

    def __enter__(self):
        self.k += 1
        return self

    def __exit__(self, *error):
        return None

    def __iadd__(self, n):
        self.k += n
        return self

    def __call__(self):
        self.k += 1
        return self.k

    __next__ = __call__

    def __iter__(self):
        return self

    def __getitem__(self, key):
        return self() * key

    def __contains__(self, key):
        return self() % 2 == key

    def __len__(self):
        return self.k

    def __bool__(self):
        return self.k % 3 == 0

    def __float__(self):
        return float(self.k)


class Twice(Schedule):
    def tick(self):
        super().tick()
        self.k += 1


def pass_through(function):
    @functools.wraps(function)
    def call(*args):
        return function(*args)

    return call


class Wrapper(Schedule):
    tick = pass_through(Schedule.tick)
    value = pass_through(Schedule.value)


class Layer(wg.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 0

    def forward(self, x):
        self.k += 1
        return x / self.k


def after_tick(own, read=lambda one: one.value(), tick=lambda one: one.tick()):
    def function(x):
        tick(own)
        return x * read(own)

    return function


def enter(own):
    def function(x):
        with own:
            return x * own.value()

    return function


def add(own):
    def function(x):
        nonlocal own
        own += 1
        return x * float(own)

    return function


def through_a_context():
    own = Schedule()

    @contextlib.contextmanager
    def context():
        own.k += 1
        yield own.k

    def function(x):
        with context() as k:
            return x * k

    return function


def through_a_hook(where):
    def make():
        own, layer = Schedule(), wg.nn.Identity()

        def change(*given):
            own.tick()
            return given[-1][0] * own.value() if where == "before" else given[-1] * own.value()

        (layer.register_forward_pre_hook if where == "before" else layer.register_forward_hook)(change)
        return lambda x: layer(x) + 0

    return make


def through_a_gradient_hook():
    own = Schedule()

    def change(grad):
        own.tick()
        return grad * own.value()

    def function(x):
        w = wg.ones(2, requires_grad=True)
        y = w * x
        y.register_hook(change)
        y.sum().backward()
        return w.grad

    return function


def through_a_custom_function():
    own = Schedule()

    class Scale(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            own.tick()
            return x * own.value()

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Scale.apply


def through_an_optimizer():
    class Decay:
        def __init__(self, params):
            self.params, self.t = params, 0

        def step(self):
            self.t += 1
            for one in self.params:
                one.data.sub_(one.grad * (0.1 / self.t))
                one.grad = None

    w = wg.ones(2, requires_grad=True)
    optimizer = Decay([w])

    def function(x):
        ((w - x) ** 2).sum().backward()
        optimizer.step()
        return w.detach().clone()

    return function


def of_a_class():
    Schedule.total = 0
    return lambda x: x * Schedule.count()


def table_of_functions():
    ways, state = {0: wg.sin, 1: wg.cos}, {"way": 0}

    def function(x):
        state["way"] ^= 1
        return ways[state["way"]](x)

    return function


def boolean(own):
    return lambda x: x * 2 if own.tick() is None and own else x + 0


MAKERS = {
    "variable": lambda: after_tick(Schedule()),
    "list": lambda: after_tick([Schedule()], lambda one: one[0].value(), lambda one: one[0].tick()),
    "dict": lambda: after_tick({"a": {1: Schedule()}}, lambda one: one["a"][1].value(), lambda one: one["a"][1].tick()),
    "partial": lambda: functools.partial(lambda own, x: after_tick(own)(x), Schedule()),
    "bound methods": lambda: after_tick((own := Schedule()).tick, lambda _: own.value(), lambda one: one()),
    "map": lambda: after_tick([Schedule()], lambda one: one[0].value(), lambda one: [*map(Schedule.tick, one)]),
    "methodcaller": lambda: after_tick(Schedule(), operator.attrgetter("k"), operator.methodcaller("tick")),
    "methodcaller with arguments": lambda: after_tick(Operators(), operator.methodcaller("advance", n=3)),
    "itemgetter": lambda: after_tick({"n": 0}, operator.itemgetter("n"), lambda one: one.update(n=one["n"] + 1)),
    "getattr": lambda: after_tick(Schedule(), lambda one: getattr(one, "value")()),  # noqa: B009
    "vars": lambda: after_tick(Schedule(), lambda one: vars(one)["k"]),
    "setattr": lambda: after_tick(Schedule(), tick=lambda one: setattr(one, "k", one.k + 1)),
    "subclass": lambda: after_tick(Twice()),
    "decorators": lambda: after_tick(Wrapper()),
    "property": lambda: after_tick(Schedule(), lambda one: one.following),
    "class": of_a_class,
    "with": lambda: enter(Operators()),
    "in-place operator": lambda: add(Operators()),
    "call": lambda: after_tick(Operators(), lambda one: one()),
    "next": lambda: after_tick(Operators(), next),
    "item": lambda: after_tick(Operators(), lambda one: one[2]),
    "contains": lambda: after_tick(Operators(), lambda one: 2.0 if 1 in one else 3.0),
    "length": lambda: after_tick(Operators(), len),
    "boolean": lambda: boolean(Operators()),
    "module": Layer,
    "module inside": lambda: wg.nn.Sequential(Layer(), wg.nn.Identity(), Layer()),
    "context": through_a_context,
    "hook before": through_a_hook("before"),
    "hook behind": through_a_hook("behind"),
    "hook of a gradient": through_a_gradient_hook,
    "custom Function": through_a_custom_function,
    "optimizer": through_an_optimizer,
    "table of functions": table_of_functions,
}


@pytest.mark.parametrize("name", MAKERS)
def test_state_is_found_behind(name):
    def run(function):
        return [function(wg.tensor([1.0, 0.5 + i])).tolist() for i in range(9)]

    expected = run(MAKERS[name]())
    captured = wg.capture(MAKERS[name](), quiet=True)
    assert run(captured) == expected
    assert wg.replay.explain(captured).replays == 0


def test_state_that_nobody_reads_is_no_reason():
    own = Schedule()

    def function(x):
        own.tick()
        return x * 2

    captured = wg.capture(function)
    for _ in range(4):
        captured(wg.ones(2))
    assert wg.replay.explain(captured).replays == 3
    assert own.value() == 1 / 2
