"""no_grad, enable_grad, set_grad_enabled: context managers, decorators, functions; per thread."""

import asyncio
import inspect
import threading

import pytest
import wengert as torch
from wengert import autograd

MODES = {torch.no_grad: False, torch.enable_grad: True}


def test_the_names_are_in_both_modules():
    for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"):
        assert getattr(autograd, name) is getattr(torch, name)


def test_module_grad_mode():
    from wengert.autograd import grad_mode

    assert grad_mode.no_grad is torch.no_grad
    assert grad_mode.set_grad_enabled is torch.set_grad_enabled
    assert grad_mode.inference_mode is torch.inference_mode


@pytest.mark.parametrize("mode", MODES)
def test_context_manager_restores(mode):
    for before in (True, False):
        with torch.set_grad_enabled(before):
            with mode():
                assert torch.is_grad_enabled() is MODES[mode]
            assert torch.is_grad_enabled() is before


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("brackets", [True, False])
def test_decorator(mode, brackets):
    def inner(x, *, y):
        """Text."""
        return torch.is_grad_enabled(), x, y

    decorated = (mode() if brackets else mode)(inner)
    assert decorated(1, y=2) == (MODES[mode], 1, 2)
    assert (decorated.__name__, decorated.__doc__, decorated.__wrapped__) == ("inner", "Text.", inner)


def test_set_grad_enabled_as_decorator():
    @torch.set_grad_enabled(False)
    def inner():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()      # making the decorator leaves the mode as it was
    assert inner() is False
    assert torch.is_grad_enabled()


def test_set_grad_enabled_acts_when_it_is_called():
    mode = torch.set_grad_enabled(False)
    try:
        assert not torch.is_grad_enabled()
        with mode:
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()              # leaving restores what was before the call
    finally:
        torch.set_grad_enabled(True)


def test_decorated_method_and_recursion():
    class Model:
        @torch.no_grad()
        def down(self, n):
            return [torch.is_grad_enabled()] + (self.down(n - 1) if n else [])

    assert Model().down(3) == [False] * 4
    assert torch.is_grad_enabled()


def test_decorated_generator_has_the_mode_only_while_it_runs():
    @torch.no_grad()
    def steps():
        try:
            got = yield torch.is_grad_enabled()
            while True:
                got = yield (torch.is_grad_enabled(), got)
        finally:
            closed.append(torch.is_grad_enabled())

    closed = []
    generator = steps()
    assert next(generator) is False
    assert torch.is_grad_enabled()
    assert generator.send("a") == (False, "a")
    assert torch.is_grad_enabled()
    generator.close()
    assert closed == [False]


def test_decorated_generator_passes_exceptions_and_the_result():
    @torch.no_grad()
    def steps():
        try:
            yield 1
        except KeyError:
            yield torch.is_grad_enabled()
        return "end"

    generator = steps()
    next(generator)
    assert generator.throw(KeyError()) is False
    with pytest.raises(StopIteration) as end:
        next(generator)
    assert end.value.value == "end"
    assert torch.is_grad_enabled()


def test_decorated_generator_keeps_a_mode_change_of_its_caller():
    @torch.no_grad()
    def steps():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    generator = steps()
    assert next(generator) is False
    with torch.set_grad_enabled(False):
        assert next(generator) is False
        assert not torch.is_grad_enabled()


def test_coroutine_with_the_mode_as_context_manager():
    async def inner():
        with torch.no_grad():
            await asyncio.sleep(0)
            return torch.is_grad_enabled()

    assert asyncio.run(inner()) is False


def test_decorated_generator_function_is_one():
    @torch.no_grad()
    def numbers():
        yield 1

    assert inspect.isgeneratorfunction(numbers)
    assert list(numbers()) == [1]


@pytest.mark.skipif(torch.__name__ == "torch", reason="beyond PyTorch, whose mode ends before the body runs")
def test_decorated_asynchronous_generator_has_the_mode_only_while_it_runs():
    seen = []

    @torch.no_grad()
    async def numbers():
        try:
            seen.append((torch.is_grad_enabled(), (yield 1)))
            await asyncio.sleep(0)
            seen.append(torch.is_grad_enabled())
            try:
                yield 2
            except KeyError:
                seen.append(torch.is_grad_enabled())
            yield 3
        finally:
            seen.append(("closed", torch.is_grad_enabled()))

    async def main():
        steps = numbers()
        found = [await steps.__anext__(), torch.is_grad_enabled(), await steps.asend("sent"), torch.is_grad_enabled(),
                 await steps.athrow(KeyError()), torch.is_grad_enabled()]
        await steps.aclose()
        return found + [number async for number in numbers()]

    assert inspect.isasyncgenfunction(numbers)
    assert asyncio.run(main()) == [1, True, 2, True, 3, True, 1, 2, 3]
    assert seen[:4] == [(False, "sent"), False, False, ("closed", False)]
    assert torch.is_grad_enabled()


@pytest.mark.skipif(torch.__name__ == "torch", reason="beyond PyTorch, whose mode ends before the body runs")
def test_decorated_coroutine_has_the_mode_only_while_it_runs():
    seen = []

    @torch.no_grad()
    async def inner():
        seen.append(torch.is_grad_enabled())
        await asyncio.sleep(0)
        return torch.is_grad_enabled()

    async def main():
        task = asyncio.ensure_future(inner())
        await asyncio.sleep(0)
        seen.append(torch.is_grad_enabled())
        return await task

    assert asyncio.run(main()) is False
    assert seen == [False, True]


def test_decorating_a_class_warns():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated and will be disabled in future versions"):
        @torch.no_grad()
        class Model:
            def __init__(self):
                self.mode = torch.is_grad_enabled()

    assert Model().mode is False


def test_modes_are_thread_local():
    seen = {}

    def other():
        seen["start"] = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    with torch.no_grad():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == {"start": True}
    assert torch.is_grad_enabled()


def test_results_and_inputs():
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        assert torch.ones(1, requires_grad=True).requires_grad      # factories are not affected
        assert x.requires_grad
    assert (y.requires_grad, y.grad_fn, y.is_leaf) == (False, None, True)


def test_views_made_under_no_grad_show_what_their_base_does_and_have_no_history():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = x[:1]
        assert (view.requires_grad, view.grad_fn, view.is_leaf) == (True, None, True)
        assert not (view * 2).requires_grad
        assert not (x * 1).view(2, 1).requires_grad
    (view * 2).sum().backward()  # leads nowhere
    assert view.grad is None
    assert x.grad is None


@pytest.mark.parametrize("value", [None, "False"])
def test_set_grad_enabled_takes_a_bool(value):
    with pytest.raises(TypeError, match="must be bool, not"):
        torch.set_grad_enabled(value)


@pytest.mark.parametrize("value", [0, 1])
def test_set_grad_enabled_takes_no_number(value):
    with pytest.raises(TypeError, match="must be bool, not"):
        torch.set_grad_enabled(value)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad])
def test_exception_restores(mode):
    def fail():
        with mode():
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert torch.is_grad_enabled()


def test_set_multithreading_enabled():
    multithreading = autograd.grad_mode.set_multithreading_enabled
    assert autograd.is_multithreading_enabled() is True
    with multithreading(False):
        assert autograd.is_multithreading_enabled() is False
        x = torch.ones(1, requires_grad=True)
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2.0]
    assert autograd.is_multithreading_enabled() is True
    assert autograd.set_multithreading_enabled is multithreading


def test_set_multithreading_enabled_as_a_function():
    autograd.set_multithreading_enabled(False)
    try:
        assert autograd.is_multithreading_enabled() is False
    finally:
        autograd.set_multithreading_enabled(True)
