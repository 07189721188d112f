"""Grad modes: whether operations are recorded. Thread-local; context managers, decorators and functions.

>>> import wengert_core as wc, wengert_engine as we
>>> x = wc.ones(2, requires_grad=True)
>>> with we.no_grad():
...     y = x * 2
>>> y.requires_grad
False
"""
import functools
from _thread import _local

from wengert_core.runtime.user_warnings import warn_user

from wengert_core.runtime.state cimport WG_DERIVING, WG_GRAD, WG_INFER, WgState, thread_state


def is_grad_enabled():
    """True when operations are recorded in this thread."""
    return bool(thread_state().modes & WG_GRAD)


def is_inference_mode_enabled():
    """True inside ``inference_mode``."""
    return bool(thread_state().modes & WG_INFER)


cdef void switch(unsigned int bit, bint on) noexcept:
    cdef WgState* state = thread_state()
    state.modes = state.modes | bit if on else state.modes & ~bit


class Mode:
    """A context manager that is a decorator too: of functions, of generators and of coroutines."""

    def clone(self):
        """A fresh one with the same settings: a decorated function may be re-entered."""
        return type(self)()

    def __call__(self, function):
        if isinstance(function, type):
            return decorated_class(self, function)
        return decorate(self, function)


def decorated_class(mode, cls):
    """What decorating a class gives: a function that makes an instance inside the mode. Warns."""
    warn_user("Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
              "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
              "the `__init__` method and nothing else.", FutureWarning)
    return decorate(mode, lambda *args, **kwargs: cls(*args, **kwargs))


def decorate(mode, function):
    """Run ``function`` inside ``mode``; generators and coroutines, also asynchronous, run in it between suspensions."""
    import inspect
    if inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return (yield from generator_in(mode, function(*args, **kwargs)))
    elif inspect.isasyncgenfunction(function):
        wrapper = decorated_async_generator(mode, function)
    elif inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            return await Stepped(mode, function(*args, **kwargs))
    else:
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with mode.clone():
                return function(*args, **kwargs)
    return wrapper


def generator_in(mode, inner):
    """The generator with every one of its steps inside ``mode``."""
    try:
        with mode.clone():
            item = next(inner)
        while True:
            try:
                sent = yield item
            except GeneratorExit:
                with mode.clone():
                    inner.close()
                raise
            except BaseException as error:
                with mode.clone():
                    item = inner.throw(error)
            else:
                with mode.clone():
                    item = inner.send(sent)
    except StopIteration as stop:
        return stop.value


def decorated_async_generator(mode, function):
    """An asynchronous generator function whose generators run inside ``mode`` between their suspensions."""
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        inner = function(*args, **kwargs)
        try:
            item = await Stepped(mode, inner.__anext__())
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    await Stepped(mode, inner.aclose())
                    raise
                except BaseException as error:
                    item = await Stepped(mode, inner.athrow(error))
                else:
                    item = await Stepped(mode, inner.asend(sent))
        except StopAsyncIteration:
            return
    return wrapper


class Stepped:
    """A coroutine, or what a step of an asynchronous generator waits for, with every one of its steps inside a mode."""

    def __init__(self, mode, inner):
        self.mode, self.inner = mode, inner

    def __await__(self):
        return generator_in(self.mode, self.inner.__await__())


class no_grad(Mode):
    """Operations in this context are not recorded: results have requires_grad=False. Also a decorator."""

    def __new__(cls, function=None):
        mode = object.__new__(cls)
        return mode if function is None else mode(function)

    def __init__(self):
        self.before = []

    def __enter__(self):
        self.before.append(is_grad_enabled())
        switch(WG_GRAD, False)

    def __exit__(self, kind, error, trace):
        switch(WG_GRAD, self.before.pop())


class enable_grad(no_grad):
    """Operations in this context are recorded, also inside ``no_grad``. Also a decorator."""

    def __enter__(self):
        cdef WgState* state = thread_state()
        self.before.append(state.modes)
        state.modes = (state.modes | WG_GRAD) & ~(<unsigned int> WG_DERIVING)  # values, which a backward computes again

    def __exit__(self, kind, error, trace):
        cdef WgState* state = thread_state()
        cdef unsigned int both = WG_GRAD | WG_DERIVING
        state.modes = state.modes & ~both | <unsigned int> self.before.pop() & both


class set_grad_enabled(Mode):
    """Switch recording by ``mode``: at once as a function, for a body as a context manager, for a call as decorator."""

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, "
                            f"not {type(mode).__name__}")
        self.mode = mode
        self.prev = is_grad_enabled()
        switch(WG_GRAD, mode)

    def __call__(self, function):
        switch(WG_GRAD, self.prev)
        return super().__call__(function)

    def __enter__(self):
        switch(WG_GRAD, self.mode)

    def __exit__(self, kind, error, trace):
        switch(WG_GRAD, self.prev)

    def clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__name__}(mode={self.mode})"


cdef object SETTINGS = _local()        # of each thread, by the names of their classes


cdef bint setting(str name):
    return getattr(SETTINGS, name, True)


def is_multithreading_enabled():
    """Return this thread's setting of ``set_multithreading_enabled``; on a CPU the engine starts no thread anyway."""
    return setting("set_multithreading_enabled")


cdef bint enforces_grad_layout():
    return setting("enforce_grad_layout_policy")


class Setting(Mode):
    """A thread's setting, at first as ``default`` says: set by a call at once, by a context manager for its body, by a
    decorator for a call.
    """

    argument = ""                      # how torch's message names it
    default = True

    def __init__(self, mode):
        self.prev = getattr(SETTINGS, type(self).__name__, self.default)
        self.switch(mode)
        self.mode = mode

    def switch(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(f"{self.argument} (position 1) must be bool, not {type(mode).__name__}")
        setattr(SETTINGS, type(self).__name__, mode)

    def __call__(self, function):
        self.switch(self.prev)
        return super().__call__(function)

    def __enter__(self):
        self.switch(self.mode)

    def __exit__(self, kind, error, trace):
        self.switch(self.prev)

    def clone(self):
        return type(self)(self.mode)


class set_multithreading_enabled(Setting):
    """Set whether backward may use several threads: at once as a function, for a body as a context manager.

    As a decorator, for each call of the function.
    A backward runs on the thread that called it, so this is remembered and changes nothing.

    >>> import wengert_engine.modes.grad_mode as grad_mode
    >>> with grad_mode.set_multithreading_enabled(False):
    ...     grad_mode.is_multithreading_enabled()
    False
    """

    argument = "set_multithreading_enabled(): argument 'enabled'"


class enforce_grad_layout_policy(Setting):
    """Set whether the first gradient of a leaf must have the leaf's strides (True, the default).

    With False a gradient that nobody else holds becomes ``grad`` as it is, without a copy, where it is dense.
    Thread-local; as a function at once, as a context manager for its body, as a decorator.

    >>> import wengert_core as wc
    >>> x = wc.empty(2, 3, 4).permute(2, 0, 1).requires_grad_()
    >>> from wengert_engine.modes.grad_mode import enforce_grad_layout_policy
    >>> with enforce_grad_layout_policy(False):
    ...     (x * 2).sum().backward()
    >>> x.stride(), x.grad.stride()
    ((1, 12, 4), (6, 3, 1))
    """

    argument = "set_grad_layout_enforcement_enabled(): argument 'enabled'"

    def __init__(self, enable=True):
        super().__init__(enable)


class _force_original_view_tracking(Setting):
    """Set whether a view that was written to gets a new history of the operations that gave it.

    False, the default: its new history is one view of its base.
    Both give the same gradients, and wengert makes the shorter one: this is remembered and changes nothing.
    Thread-local; as a function at once, as a context manager for its body, as a decorator.

    >>> import wengert_engine.modes.grad_mode as grad_mode
    >>> with grad_mode._force_original_view_tracking(True):
    ...     grad_mode.is_view_replay_enabled()
    True
    """

    argument = "set_view_replay_enabled(): argument 'enabled'"
    default = False


def is_view_replay_enabled():
    """Return whether ``_force_original_view_tracking`` was left on in this thread."""
    return getattr(SETTINGS, "_force_original_view_tracking", False)


class inference_mode(Mode):
    """Switch off recording and the version counting it needs: results can never take part in it. Also a decorator."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return object.__new__(cls)
        return cls()(mode)

    def __init__(self, mode=True):
        self.mode = mode
        self.before = []

    def __enter__(self):
        self.before.append(thread_state().modes)
        switch(WG_INFER, self.mode)
        switch(WG_GRAD, not self.mode)

    def __exit__(self, kind, error, trace):
        cdef WgState* state = thread_state()
        cdef unsigned int before = self.before.pop()
        state.modes = (state.modes & ~(<unsigned int> (WG_GRAD | WG_INFER))) | (before & (WG_GRAD | WG_INFER))

    def clone(self):
        return type(self)(self.mode)
