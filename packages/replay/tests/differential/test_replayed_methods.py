"""Captured beside eager: methods, callable objects, modules."""

from __future__ import annotations

import wengert as wg

from .scenarios import scenario


class Model:
    """Methods are captured, and instances are called."""

    def __init__(self, factor):
        self.factor = wg.tensor(factor)

    def __call__(self, x):
        return x * self.factor

    def method(self, x):
        return x * self.factor + 1

    @staticmethod
    def plain(x):
        return x * 5

    @classmethod
    def of_two(cls, x):
        return cls(2.0)(x)


@scenario(replays=12)
def test_methods_and_callables(capture):
    a, b = Model(2.0), Model(3.0)
    functions = [capture(one) for one in (a, a.method, b.method, Model.plain, Model.of_two, wg.sin)]
    for k in range(3):
        for f in functions:
            yield f(wg.full((2,), float(k)))


@scenario(replays=24)
def test_captured_methods_of_classes(capture):
    class Net:
        def __init__(self, factor):
            self.factor = wg.tensor(factor)

        @capture
        def forward(self, x, bias=0):
            return x * self.factor + bias

        @staticmethod
        @capture
        def plain(x):
            return x * 5

        @classmethod
        @capture
        def name(cls, x):
            return x, cls.__name__

        @property
        @capture
        def twice(self):
            return self.factor * 2

    class Sub(Net):
        def forward(self, x, bias=0):
            return super().forward(x, bias) * 10

    a, b, c = Net(2.0), Net(3.0), Sub(4.0)
    for k in range(4):
        x = wg.full((2,), float(k))
        yield a.forward(x), b.forward(x, bias=1), Net.forward(b, x), c.forward(x), a.plain(x), a.name(x), c.name(x)
        yield a.twice, b.twice


@scenario(replays=3)
def test_captured_modules(capture):
    class Net(wg.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = wg.nn.Linear(2, 2)
            wg.nn.init.constant_(self.linear.weight, 0.5)
            wg.nn.init.constant_(self.linear.bias, 0.25)
            self.register_buffer("calls", wg.zeros(()))

        @capture
        def forward(self, x):
            self.calls.add_(1)
            return self.linear(x).detach()

    net = Net()
    for k in range(4):
        yield net(wg.full((1, 2), float(k))), net
    whole = capture(wg.nn.Linear(2, 2).requires_grad_(False).eval())
    for k in range(4):
        yield whole(wg.full((1, 2), float(k)))
