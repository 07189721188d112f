"""The modes that answer for every call of a block.

Note [Modes are asked before tensors] is in binding/torch_function.pyx. Compiled, so that no Ctrl-C comes between a mode
that is taken off and the ``try`` that puts it back.
"""
from _thread import _local             # the module threading costs a part of a millisecond to import

from wengert_core.binding.torch_function import count_modes, modes_may_override


class Stack(_local):
    """A thread's modes, the innermost last."""

    def __init__(self):
        self.modes = []


STACK = Stack()


def push_mode(mode):
    """Turn a mode on, inside of those that are on."""
    STACK.modes.append(mode)
    count_modes(len(STACK.modes))


def pop_mode():
    """Turn the innermost mode off, and return it."""
    mode = STACK.modes.pop()
    count_modes(len(STACK.modes))
    return mode


def active_mode():
    """The mode that is asked of a call, or None."""
    modes = STACK.modes
    return modes[len(modes) - 1] if modes and modes_may_override() else None


def answer_of_mode(func, types, args, kwargs):
    """The answer of the innermost mode to a call; while it is asked, those around it are asked of what it calls."""
    mode = pop_mode()
    try:
        handler = mode.__torch_function__
        if getattr(handler, "__self__", None) is not mode:
            raise RuntimeError(
                "Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain "
                "method"
            )
        return handler(func, types, args, kwargs or None)
    finally:
        push_mode(mode)


class FunctionMode:
    """A block in which a mode is on; what modes derive from. Note [Blocks that Ctrl-C cannot leave open]"""

    def __enter__(self):
        push_mode(self)
        return self

    def __exit__(self, *exception):
        pop_mode()
