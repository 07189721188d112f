"""capture above other decorators of a class, and on what is no plain function."""

from __future__ import annotations

import asyncio
import functools

import pytest
import wengert as wg

explain = wg.replay.explain


class Base:
    """Captures above descriptors of each kind."""

    scale = 2.0

    @wg.capture
    @classmethod
    def of_class(cls, x):
        """Scale by the class."""
        return x * cls.scale

    @wg.capture(max_programs=3)
    @staticmethod
    def plain(x):
        return x * 5

    @wg.capture
    @property
    def doubled_scale(self):
        """A property."""
        return wg.ones(2) * 2 * self.scale

    @doubled_scale.setter
    def doubled_scale(self, value):
        self.scale = value / 2

    tripled = wg.capture(functools.partialmethod(lambda self, x, factor: x * factor * self.scale, factor=3))


class Sub(Base):
    scale = 7.0


def test_a_class_method_has_programs_for_each_class():
    x = wg.ones(2)
    for _ in range(3):
        found = [one.of_class(x)[0].item() for one in (Base, Base(), Sub, Sub())]
        assert found == [2, 2, 7, 7]
    assert (explain(Base.of_class).replays, explain(Sub.of_class).replays) == (5, 5)
    assert Base.of_class.__doc__ == "Scale by the class."


def test_a_static_method_gets_no_instance():
    x = wg.ones(2)
    assert [one.plain(x)[0].item() for one in (Base, Base(), Sub())] == [5, 5, 5]
    assert explain(Base.plain).replays == 2
    assert Base.plain.max_programs == 3


def test_a_property_has_its_getter_captured():
    one, other = Base(), Sub()
    assert [(one.doubled_scale[0].item(), other.doubled_scale[0].item()) for _ in range(3)] == [(4, 14)] * 3
    assert explain(vars(Base)["doubled_scale"].fget.captured.methods.bind(one)).replays == 2
    assert vars(Base)["doubled_scale"].__doc__ == "A property."
    third = Base()
    third.doubled_scale = 10
    assert third.doubled_scale[0].item() == 10


def test_a_partial_method_gets_instance_and_arguments():
    x = wg.ones(2)
    assert [Base().tripled(x)[0].item(), Base().tripled(x, factor=1)[0].item(), Base.tripled(Sub(), x)[0].item()] == [
        6, 2, 21,
    ]  # fmt: skip
    one = Base()
    assert [one.tripled(x)[0].item() for _ in range(3)] == [6, 6, 6]


def test_what_a_class_has_and_is_no_method_gets_no_instance():
    class Double:
        def __call__(self, x):
            return x * 2

        def method(self, x):
            return x * 3

    class Holder:
        called = wg.capture(Double())
        module = wg.capture(wg.nn.Identity())
        bound = wg.capture(Double().method)
        partial = wg.capture(functools.partial(wg.add, other=1))

    x, holder = wg.ones(2), Holder()
    for _ in range(2):
        found = [one(x)[0].item() for one in (holder.called, holder.module, holder.bound, holder.partial)]
        assert found == [2, 1, 3, 2]
    assert Holder.called is holder.called


@pytest.mark.parametrize("decorate", [functools.cached_property, functools.singledispatchmethod])
def test_other_descriptors_are_an_error_that_says_what_to_do(decorate):
    with pytest.raises(TypeError, match=f"must be callable, not {decorate.__name__}: put it below that"):
        wg.capture(decorate(lambda self: wg.ones(2)))
    with pytest.raises(TypeError, match="must be callable, not property"):
        wg.capture(property())
    with pytest.raises(TypeError, match=r"must be callable, not int$"):
        wg.capture(3)


@pytest.mark.filterwarnings("ignore:wengert.capture")
def test_coroutines_and_generators_run_as_usual():
    factor = [1]

    async def later(x):
        await asyncio.sleep(0)
        return x * factor[0]

    def several(x):
        yield x * factor[0]
        yield x * factor[0] + 1

    calls, items = wg.capture(later), wg.capture(several)

    async def main(x):
        return (await calls(x))[0].item()

    x = wg.ones(2)
    for k in range(1, 4):
        factor[0] = k
        assert asyncio.run(main(x)) == k
        assert [one[0].item() for one in items(x)] == [k, k + 1]
    assert "coroutine" in explain(calls).reasons[0]
    assert "generator" in explain(items).reasons[0]
