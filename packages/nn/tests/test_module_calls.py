"""Calls of modules and their hooks: what PyTorch's answers cannot say: removal while they run, threads, lifetimes."""

import copy
import gc
import inspect
import pickle
import threading
import warnings
import weakref
from operator import attrgetter

import pytest
import wengert as wg
from wengert import nn
from wengert.utils.checkpoint import checkpoint
from wengert_nn.base.calls import Calls, ForwardCall


class Scale(nn.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = nn.Parameter(wg.tensor(factor))

    def forward(self, x):
        return self.factor * x


def fresh_class():
    """A class of modules whose calls no hook has touched."""

    class Fresh(Scale):
        pass

    return Fresh


# ---- how a call finds forward


@pytest.fixture
def no_hooks_for_all(monkeypatch):
    """Calls as in a process where no test has registered a hook for all modules."""
    monkeypatch.setattr(Calls, "__call__", ForwardCall(attrgetter("forward")))


@pytest.mark.usefixtures("no_hooks_for_all")
def test_without_hooks_the_call_is_forward_itself():
    module = fresh_class()()
    assert type(module).__call__.__get__(module) == module.forward
    handle = module.register_forward_hook(lambda *_: None)
    assert type(module).__call__.__get__(module) != module.forward
    handle.remove()
    assert module(wg.ones(1)).item() == 2


@pytest.mark.usefixtures("no_hooks_for_all")
def test_a_hook_of_one_class_leaves_the_calls_of_others_alone():
    one, other = fresh_class(), fresh_class()
    one().register_forward_hook(lambda *_: None)
    module = other()
    assert module.__call__ == module.forward
    assert "__call__" in vars(one)
    assert "__call__" not in vars(other)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copies_of_modules_with_hooks_call_them_in_a_class_that_had_none(make):
    cls = fresh_class()
    module = cls()
    module._forward_hooks[0] = lambda m, args, out: out + 1  # as a state that comes from elsewhere
    assert make(module)(wg.ones(1)).item() == 3


def add_one(module, args, output):
    return output + 1


def test_a_pickled_module_keeps_its_hooks():
    module = Scale()
    module.register_forward_hook(add_one)
    assert pickle.loads(pickle.dumps(module))(wg.ones(1)).item() == 3


def test_a_module_that_changes_its_class_keeps_its_hooks():
    one, other = fresh_class(), fresh_class()
    module = one()
    module.register_forward_hook(add_one)
    module.__class__ = other
    assert type(module) is other
    assert module(wg.ones(1)).item() == 3


def test_a_mixin_that_defines_call_is_asked_first_and_reaches_the_hooks():
    class Loud:
        def __call__(self, *args):
            return super().__call__(*args) * 10

    class Both(Loud, Scale):
        pass

    module = Both()
    assert module(wg.ones(1)).item() == 20
    module.register_forward_hook(add_one)
    assert module(wg.ones(1)).item() == 30


def test_modules_are_callable_and_have_a_signature():
    assert callable(Scale())
    assert isinstance(inspect.signature(Scale()), inspect.Signature)
    assert inspect.signature(Scale().forward).parameters.keys() == {"x"}


# ---- hooks that change the hooks


def test_hooks_that_remove_themselves_and_others_while_they_run():
    module, seen, handles = Scale(), [], {}

    def remove(*names):
        def hook(*_):
            seen.append(names)
            for name in names:
                handles[name].remove()

        return hook

    for name, names in (("a", "a"), ("b", "c"), ("c", ""), ("d", "bd")):
        handles[name] = module.register_forward_hook(remove(*names))
    module(wg.ones(1))
    assert len(seen) == 4  # those that were there when the call began
    module(wg.ones(1))
    assert len(seen) == 4
    assert not module._forward_hooks


def test_backward_hooks_that_remove_themselves_while_they_run():
    module, seen = Scale(), []

    def hook(*_):
        seen.append(1)
        handle.remove()

    handle = module.register_full_backward_hook(hook)
    x = wg.ones(2, requires_grad=True)
    for _ in range(2):
        module(x).sum().backward()
    assert seen == [1]
    assert x.grad.tolist() == [4, 4]


def test_a_hook_may_call_its_module_again():
    module, depth = Scale(), []

    def hook(m, args, output):
        if len(depth) < 3:
            depth.append(1)
            return m(output)
        return None

    module.register_forward_hook(hook)
    assert module(wg.ones(1)).item() == 2**4


def test_handles_outlive_their_module_and_pickle_without_it():
    module = Scale()
    handle = module.register_forward_hook(add_one)
    del module
    handle.remove()  # nothing left to do, and no error


def test_always_called_hooks_are_called_once_whatever_fails():
    seen = []
    module = Scale()

    def fail(*_):
        raise ValueError("fails")

    module.register_forward_hook(lambda *_: seen.append("first"), always_call=True)
    module.register_forward_hook(fail)
    module.register_forward_hook(lambda *_: seen.append("last"), always_call=True)
    with pytest.raises(ValueError, match="fails"):
        module(wg.ones(1))
    assert seen == ["first", "last"]


def test_keyboard_interrupts_are_no_errors_of_forward():
    class Interruption(nn.Module):
        def forward(self, x):
            raise KeyboardInterrupt

    module, seen = Interruption(), []
    module.register_forward_hook(lambda *_: seen.append(1), always_call=True)
    with pytest.raises(KeyboardInterrupt):
        module(1)
    assert seen == []


# ---- threads


def test_hooks_are_registered_and_removed_while_other_threads_call():
    cls = fresh_class()
    module, stop, errors = cls(), threading.Event(), []

    def call():
        try:
            while not stop.is_set():
                assert module(wg.ones(1)).item() in (2, 3)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        module.register_forward_hook(add_one).remove()
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert not module._forward_hooks


def test_threads_train_copies_of_a_module_with_backward_hooks():
    module = nn.Sequential(Scale(2.0), Scale(3.0))
    for one in module:
        one.register_full_backward_hook(lambda m, grads, _: None)
    results = {}

    def train(number):
        own = copy.deepcopy(module)
        x = wg.full((3,), float(number), requires_grad=True)
        own(x).sum().backward()
        results[number] = x.grad.tolist(), own[0].factor.grad.item()

    threads = [threading.Thread(target=train, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: ([6.0] * 3, 9.0 * number) for number in range(4)}


# ---- lifetimes: nothing waits for the garbage collector


@pytest.fixture
def no_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def with_hooks(module, seen):
    module.register_forward_hook(lambda m, args, out: seen.append(out.shape))
    module.register_forward_pre_hook(lambda m, args: None)
    module.register_full_backward_hook(lambda m, gi, go: None)
    module.register_full_backward_pre_hook(lambda m, go: None)
    module.register_load_state_dict_pre_hook(lambda m, *_: None)
    module.register_state_dict_pre_hook(lambda *_: None)
    return module


@pytest.mark.parametrize("prepare", [lambda module, seen: module, with_hooks])
def test_a_module_is_freed_with_its_last_reference(prepare, no_gc):
    module = nn.Sequential(prepare(Scale(), []), nn.ModuleList([Scale()]), nn.ParameterDict({"a": wg.ones(1)}))[:1]
    module.register_buffer("extra", wg.zeros(1))
    module.load_state_dict(module.state_dict())
    x = wg.ones(3, requires_grad=True)
    loss = module(x).sum()
    loss.backward()
    copied = copy.deepcopy(module)
    list(module.named_parameters()), repr(module), module.double(), module.zero_grad()
    gone = [weakref.ref(one) for one in (module, module[0], module[0].factor, copied[0])]
    del loss, module, copied
    assert [one() for one in gone] == [None] * 4


def test_the_graph_keeps_a_module_with_backward_hooks_and_lets_it_go(no_gc):
    module = with_hooks(Scale(), [])
    gone = weakref.ref(module)
    y = module(wg.ones(3, requires_grad=True))
    del module
    assert gone() is not None
    y.sum().backward()
    del y
    assert gone() is None


def test_an_error_in_a_call_with_hooks_leaves_nothing_behind(no_gc):
    class Bad(Scale):
        def forward(self, x):
            raise ValueError("bad")

    module = with_hooks(Bad(), [])
    gone = weakref.ref(module)
    with pytest.raises(ValueError, match="bad") as error:
        module(wg.ones(1))
    del error, module
    assert gone() is None


def test_absent_attributes_leave_nothing_behind(no_gc):
    module = Scale()
    gone = weakref.ref(module)
    assert not hasattr(module, "missing")
    with pytest.raises(AttributeError) as error:
        module.missing  # noqa: B018
    assert error.value.name == "missing"
    del error, module
    assert gone() is None


def test_hooks_of_a_dead_module_say_so():
    module = Scale()
    module.register_load_state_dict_pre_hook(lambda *_: None)
    (hook,) = module._load_state_dict_pre_hooks.values()
    del module
    gc.collect()
    with pytest.raises(RuntimeError, match="hook of a dead Module"):
        hook({}, "")


# ---- derivatives


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(wg.linspace(-1, 1, 6, dtype=wg.float64).reshape(2, 3))
        self.inner = Scale(0.7).double()

    def forward(self, x):
        return self.inner((x @ self.weight).tanh())


def test_gradcheck_of_a_module_with_respect_to_input_and_parameters():
    module = Network()
    x = wg.linspace(-1, 1, 4, dtype=wg.float64).reshape(2, 2).requires_grad_()
    assert wg.autograd.gradcheck(lambda x, *_: module(x), (x, *module.parameters()))
    assert wg.autograd.gradgradcheck(lambda x, *_: module(x), (x, *module.parameters()))


def test_gradcheck_of_a_module_with_backward_hooks():
    module = with_hooks(Network(), [])
    with_hooks(module.inner, [])
    x = wg.linspace(-1, 1, 4, dtype=wg.float64).reshape(2, 2).requires_grad_()
    assert wg.autograd.gradcheck(module, (x,))
    assert wg.autograd.gradgradcheck(module, (x,))


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointed_modules_have_the_same_gradients(use_reentrant):
    grads = []
    for call in (lambda m, x: m(x), lambda m, x: checkpoint(m, x, use_reentrant=use_reentrant)):
        module, seen = Network(), []
        module.register_forward_pre_hook(lambda m, args, seen=seen: seen.append(args[0].shape))
        x = wg.linspace(-1, 1, 4, dtype=wg.float64).reshape(2, 2).requires_grad_()
        call(module, x).square().sum().backward()
        grads.append([x.grad, *(parameter.grad for parameter in module.parameters())])
    assert len(seen) == 2  # forward is called once more
    assert all(wg.allclose(one, other) for one, other in zip(*grads, strict=True))


def test_global_hooks_are_found_by_modules_that_exist_already():
    from wengert.nn.modules.module import register_module_forward_hook

    module, seen = fresh_class()(), []
    module(wg.ones(1))
    with register_module_forward_hook(lambda m, args, out: seen.append(type(m).__name__)):
        module(wg.ones(1))
    module(wg.ones(1))
    assert seen == ["Fresh"]


def test_the_deprecated_hook_still_replaces_gradients():
    class Sine(nn.Module):
        def forward(self, x):
            return x.sin()

    module = Sine()
    module.register_backward_hook(lambda m, grads, _: (grads[0] * 5,))
    x = wg.zeros(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module(x * 1).sum().backward()
    assert x.grad.tolist() == [5, 5]


def test_backward_hooks_are_called_inside_of_transforms():
    """PyTorch refuses them there."""
    module, seen = Scale(), []
    module.forward = lambda x: module.factor * x**2
    module.register_full_backward_hook(lambda m, grads, _: seen.append(grads[0].shape))
    samples = wg.arange(3.0)
    assert wg.func.grad(module)(wg.tensor(3.0)).item() == 12
    assert wg.func.grad(wg.func.grad(module))(wg.tensor(3.0)).item() == 4
    assert wg.func.vmap(wg.func.grad(module))(samples).tolist() == [0, 4, 8]
    assert wg.func.jacrev(module)(wg.tensor(3.0)).item() == 12
    assert wg.func.jvp(module, (wg.tensor(3.0),), (wg.tensor(1.0),))[1].item() == 12
    assert len(seen) == 4
