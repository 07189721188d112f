"""The dispatch of the constructs of control flow: a plain loop, or a hook that runs the construct in another way.

Note [Constructs and hooks]
    Every public function brings its arguments into one flat form, and calls ``dispatch`` once:

    =================  ===================================================================================
    construct          operands
    =================  ===================================================================================
    scan               step(carry, rows) -> (carry, outputs); carry; xs with the scanned dim first; length; reverse
    while_loop         test(carry) -> predicate; body(carry) -> carry; carry
    fori_loop          lower; upper; body(index, carry) -> carry; carry
    cond               predicate; true_branch(operands) -> leaves; false_branch; operands
    =================  ===================================================================================

    carry, rows, outputs and xs are lists of tensors; operands and leaves are lists that may hold other values, too.
    A hook is asked first, then the thread's tracer (``run_construct``), which records it as one loop.
    The functions check shapes and dtypes, so that a hook calls them as the plain loops do, and a capture that calls
    each of them once on its own tensors has the whole construct.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_engine.extend import current_tracer

HOOKS: dict[str, Callable[..., Any]] = {}
CONSTRUCTS = ("scan", "while_loop", "fori_loop", "cond")


def set_hook(construct: str, hook: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Let a hook run a construct, in all threads, and return the hook before it; None: the plain loop.

    The hook gets the operands of Note [Constructs and hooks], and returns the construct's result, or NotImplemented to
    leave this call to the plain loop. ValueError for a construct that does not exist.
    """
    if construct not in CONSTRUCTS:
        raise ValueError(f"set_hook: expected a construct of {', '.join(CONSTRUCTS)}, got {construct!r}")
    before = HOOKS.pop(construct, None)
    if hook is not None:
        HOOKS[construct] = hook
    return before


def dispatch(construct: str, plain: Callable[..., Any], *operands: Any) -> Any:
    """Return a construct's result for its flat operands: the hook's, or that of the plain loop."""
    hook = HOOKS.get(construct)
    result = NotImplemented if hook is None else hook(*operands)
    tracer = current_tracer() if result is NotImplemented else None
    if tracer is not None:
        result = tracer.run_construct(construct, plain, operands)
    return plain(*operands) if result is NotImplemented else result
