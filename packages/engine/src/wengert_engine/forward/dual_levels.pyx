"""Dual levels: opened and closed by functions and by contexts.

Compiled, so that Ctrl-C leaves none open: Note [Blocks that Ctrl-C cannot leave open] in core's torch_function.pyx.
"""
from wengert_engine.forward import dual as forward
from wengert_engine.modes.grad_mode import Mode


def current_level():
    """0 inside a dual level, -1 outside."""
    return 0 if forward.is_open() else -1


def enter_dual_level():
    """Open a forward-mode level and return its number, which exit_dual_level takes.

    Dual tensors are made and used inside a level, by all threads. RuntimeError inside another one. Prefer
    ``with dual_level()``.

    >>> level = enter_dual_level()
    >>> exit_dual_level(level=level)
    """
    if not forward.enter():
        raise RuntimeError("Nested forward mode AD is not supported at the moment: a dual level is open; exit it first")
    return 0


def exit_dual_level(*, level=None):
    """Close the level that enter_dual_level opened: its tangents are gone.

    RuntimeError when it is not the last that was opened, or when none is open.
    """
    level = current_level() if level is None else level
    if level != current_level():
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number: no level is open")
    forward.leave()


class dual_level(Mode):
    """A context in which forward-mode derivatives are computed; also a decorator. Levels do not nest.

    >>> import wengert_core as wc
    >>> from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual
    >>> with dual_level():
    ...     y = make_dual(wc.zeros(1), wc.ones(1)).exp()
    ...     unpack_dual(y).tangent.item()
    1.0
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *error):
        exit_dual_level()


class LevelTaken(Exception):
    """Another thread has opened a dual level since this one looked; nothing has been called yet."""


class TransformLevel:
    """A dual level of a transform: a context. LevelTaken where one is open."""

    def __enter__(self):
        if not forward.enter(True):
            raise LevelTaken

    def __exit__(self, *error):
        forward.leave()


def _is_fwd_grad_enabled():
    return forward.is_enabled()


class _set_fwd_grad_enabled(Mode):
    """Switch the computation of tangents on or off: as a function, and as a context."""

    def __init__(self, mode):
        self.mode = mode
        self.before = forward.is_enabled()
        forward.switch(mode)

    def clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        """It is set already."""

    def __exit__(self, *error):
        forward.switch(self.before)
