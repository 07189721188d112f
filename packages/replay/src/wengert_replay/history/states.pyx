"""The state around a call of a captured function: what a run of the function again has to have, for a time.

Compiled: Note [Blocks that Ctrl-C cannot leave open] in core's torch_function.pyx.
"""
from contextlib import nullcontext

import wengert_core
from wengert_core import device
from wengert_core.extend import default_device_number, rng_states, set_rng_states
from wengert_engine import enable_grad, inference_mode, is_grad_enabled, no_grad

from wengert_replay.history.outside import OutsideState, put_flags, swap_saved_hooks


class Modes:
    """The modes of a call.

    grad: whether gradients are recorded.   dtype, device_number: those of tensors that are made without one.
    """

    __slots__ = ("device_number", "dtype", "grad")

    def __init__(self, grad, dtype, device_number):
        self.grad, self.dtype, self.device_number = grad, dtype, device_number

    @classmethod
    def now(cls):
        return cls(is_grad_enabled(), wengert_core.get_default_dtype(), default_device_number())

    @classmethod
    def of_gradients(cls):
        """Return the modes of now, while gradients are recorded."""
        return cls(True, wengert_core.get_default_dtype(), default_device_number())

    def restore(self):
        """Return a block in which the thread has these modes, no inference mode, and no hooks for saved tensors."""
        return ModesBlock(self)


class ModesBlock:
    """The block of ``Modes.restore``, which is entered once."""

    def __init__(self, modes):
        self.modes = modes

    def __enter__(self):
        modes = self.modes
        is_elsewhere = modes.device_number == 0 and default_device_number() != 0
        grad = nullcontext() if modes.grad == is_grad_enabled() else enable_grad() if modes.grad else no_grad()
        self.blocks = (inference_mode(False), grad, device("cpu") if is_elsewhere else nullcontext())
        self.dtype = wengert_core.get_default_dtype()
        self.entered = 0
        self.hooks = swap_saved_hooks(None)
        try:
            for block in self.blocks:
                block.__enter__()
                self.entered += 1
            if self.dtype is not modes.dtype:
                wengert_core.set_default_dtype(modes.dtype)
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(self, *error):
        swap_saved_hooks(self.hooks)
        if self.dtype is not self.modes.dtype:
            wengert_core.set_default_dtype(self.dtype)
        for block in reversed(self.blocks[:self.entered]):
            block.__exit__(*error)


class State:
    """The state that a function may change: tensors from outside, and generators that it draws random numbers from."""

    __slots__ = ("outside", "random")

    def __init__(self, written, draws, generators=()):
        """draws: from default generators, or from other ones, ``generators``."""
        self.outside = OutsideState(written) if written else None
        self.random = [*rng_states(), *((one, one.get_state()) for one in generators)] if draws else None

    def memory(self):
        """Return the memory, which a recording adds to before others is written to."""
        if self.outside is None:
            self.outside = OutsideState([])
        return self.outside

    def has_drawn(self):
        """Whether random numbers have been drawn since."""
        return self.random is not None and any([before.tolist() != source.get_state().tolist()
                                               for source, before in self.random])

    def has_changed(self):
        """Whether random numbers have been drawn, or memory has other contents or versions."""
        return self.has_drawn() or (self.outside is not None and self.outside.differs())

    def put_back(self):
        if self.outside is not None:
            self.outside.put_back()
        if self.random is not None:
            set_rng_states(self.random)


NOTHING = State([], draws=False)


class Restoration:
    """A time with the state before a call; behind it there is the state of now again."""

    def __init__(self, run):
        history, before = run.history, run.state
        written = history.written if before.outside is not None else []
        self.now = State(written, before.random is not None, history.generators)
        run.state.put_back()

    def end(self):
        """Return to the state of now: backward, which comes next, writes and draws as in an eager run."""
        now, self.now = self.now, NOTHING
        now.put_back()

    def end_if_alike(self):
        """Return whether the function has led to the state of now itself; then there is nothing to return to."""
        outside = self.now.outside
        alike = (outside is None or not outside.differs()) and not self.now.has_drawn()
        if alike:
            self.now = NOTHING
        return alike


class RestoredFlags:
    """A block in which leaves require gradients as in the call: ``requires_grad_()`` may have changed that since."""

    def __init__(self, form):
        self.form = form

    def __enter__(self):
        self.changed = put_flags(self.form.tensors)

    def __exit__(self, *error):
        put_flags(self.changed)


class RestoredState(RestoredFlags):
    """A block with memory outside and generators as they were before the call; afterwards as if nothing had happened.

    Gives what may end that between the function and its backward, which has effects of its own: a checkpoint's
    functions run in it, and so do hooks.   check: raises an error where a tensor from outside is not what it was.
    """

    def __init__(self, run, check):
        super().__init__(run.form)
        self.run, self.check = run, check

    def __enter__(self):
        super().__enter__()
        try:
            self.check(self.run)
            self.restoration = Restoration(self.run)
        except BaseException:
            super().__exit__()
            raise
        return self.restoration

    def __exit__(self, *error):
        try:
            self.restoration.end()
        finally:
            super().__exit__()


class WithoutHooks:
    """A block in which leaves have no hooks: those are called where the node's gradients arrive."""

    def __init__(self, leaves):
        self.leaves, self.hooks = leaves, []

    def __enter__(self):
        for leaf in self.leaves:
            if leaf._backward_hooks:
                self.hooks.append((leaf, leaf._backward_hooks))
                leaf._backward_hooks = None

    def __exit__(self, *error):
        for leaf, hooks in self.hooks:
            leaf._backward_hooks = hooks
