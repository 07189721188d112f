"""The call of a module, and the hooks around it.

Note [How a module is called]
    ``module(x)`` asks the class for ``__call__``. While no hook has been registered for a module of a class, that is a
    descriptor whose value is ``module.forward`` itself: a call costs nothing beside ``forward``. The first hook for a
    module of the class puts ``call_with_hooks`` in its place, for that class only; a hook for all modules, or a class
    with a ``__call__`` of its own, puts it into Module. It stays there, as hooks usually do.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from wengert import Tensor
from wengert.utils.hooks import RemovableHandle

from wengert_nn.base import global_hooks
from wengert_nn.base.backward_hooks import BackwardHook, WrappedHook, warn_of_missing_grads
from wengert_nn.base.global_hooks import Hook, register
from wengert_nn.base.registration import Attributes

MIXED = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)


class ForwardCall(property):
    """The ``__call__`` of modules without hooks: as an attribute of a module it is ``forward``."""

    def __call__(self, module: Any, *args: Any, **kwargs: Any) -> Any:
        return call_with_hooks(module, *args, **kwargs)  # Module.__call__(module, ...), perhaps of a class with hooks


class Calls(Attributes):
    """A module as a function."""

    _backward_pre_hooks: global_hooks.Hooks
    _backward_hooks: global_hooks.Hooks
    _is_full_backward_hook: bool | None
    _forward_pre_hooks: global_hooks.Hooks
    _forward_hooks: global_hooks.Hooks
    _compiled_call_impl: Any = None  # what compile() has put into the place of forward

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; each module has its own. Call the module itself, which also calls its hooks."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    __call__: Any = ForwardCall(attrgetter("forward"))

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return call_with_hooks(self, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if state.pop("_compiled_call_impl", None) is not None:
            del state["forward"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._enable_own_hooks()

    def _replace_attribute(self, name: str, value: Any) -> None:
        super()._replace_attribute(name, value)
        if name == "__class__":
            self._enable_own_hooks()

    def _enable_own_hooks(self) -> None:
        """Let calls look for hooks where this module, which is new in its class, has any."""
        if any(self.__dict__.get(name) for name in HOOK_TABLES):
            enable_hooks(type(self))

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; a result that is not None becomes the arguments.

        prepend: before the hooks that are there. with_kwargs: call ``hook(module, args, kwargs)``, whose result is None
        or the pair of new arguments. Returns a handle; ``handle.remove()`` removes the hook.
        """
        with_names = self._forward_pre_hooks_with_kwargs
        handle = self._register_call_hook(self._forward_pre_hooks, hook, prepend, extra_dict=with_names)
        if with_kwargs:
            with_names[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; a result that is not None becomes the output.

        prepend: before the hooks that are there. with_kwargs: call ``hook(module, args, kwargs, output)``.
        always_call: also where ``forward`` or another hook raises an exception.
        """
        extra = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = self._register_call_hook(self._forward_hooks, hook, prepend, extra_dict=extra)
        if with_kwargs:
            extra[0][handle.id] = True
        if always_call:
            extra[1][handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the gradients of the inputs are computed.

        A result that is not None, a tuple as long as `grad_output`, takes the place of the gradients.
        """
        return self._register_call_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs have been computed.

        Both are tuples, with None for arguments and outputs that are no tensors. A result that is not None, a tuple as
        long as `grad_input`, takes the place of the gradients.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(MIXED)
        self._is_full_backward_hook = True
        return self._register_call_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Register a hook of the deprecated kind; ``register_full_backward_hook`` takes its place."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(MIXED)
        self._is_full_backward_hook = False
        return self._register_call_hook(self._backward_hooks, hook, False)

    def _register_call_hook(
        self, hooks: global_hooks.Hooks, hook: Hook, prepend: bool, **extra: Any
    ) -> RemovableHandle:
        enable_hooks(type(self))
        handle = register(hooks, hook, **extra)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle


HOOK_TABLES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


def enable_hooks(cls: type[Any] = Calls) -> None:
    """Let calls of modules of a class look for hooks. See Note [How a module is called]."""
    for base in cls.__mro__:
        call = base.__dict__.get("__call__")
        if call is call_with_hooks:
            return
        if isinstance(call, ForwardCall):
            cls.__call__ = call_with_hooks
            return
        if call is not None:  # one of the user's, which may call Module's
            break
    Calls.__call__ = call_with_hooks  # type: ignore[method-assign]  # as the Note says


global_hooks.ENABLE.append(enable_hooks)


def call_with_hooks(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a module that has hooks, or may have."""
    if not (
        self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
        or global_hooks.FORWARD or global_hooks.FORWARD_PRE or global_hooks.BACKWARD or global_hooks.BACKWARD_PRE
    ):  # fmt: skip
        return self.forward(*args, **kwargs)
    call = HookedCall(self, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.call_remaining_hooks()
        raise


class HookedCall:
    """One call of a module with its hooks."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()  # hooks with always_call that have been called

    def run(self) -> Any:
        """Call the hooks and ``forward``, in PyTorch's order."""
        module = self.module
        full, pre_hooks, deprecated = backward_hooks(module)
        if module._forward_pre_hooks or global_hooks.FORWARD_PRE:
            self.call_pre_hooks()
        backward = None
        if full or pre_hooks:
            backward = BackwardHook(module, full, pre_hooks)
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        if module._forward_hooks or global_hooks.FORWARD:
            self.call_hooks()
        if backward:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(self.result)}",
                    stacklevel=4,
                )
            self.result = backward.setup_output_hook(self.result)
        if deprecated:
            self.register_on_node(deprecated)
        return self.result

    def call_pre_hooks(self) -> None:
        """Call the forward pre-hooks, which may replace the arguments."""
        module = self.module
        for number, hook in (*global_hooks.FORWARD_PRE.items(), *module._forward_pre_hooks.items()):
            if number in module._forward_pre_hooks_with_kwargs:
                replaced = hook(module, self.args, self.kwargs)
                if replaced is None:
                    continue
                if not isinstance(replaced, tuple) or len(replaced) != 2:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {replaced}."
                    )
                self.args, self.kwargs = replaced
            else:
                replaced = hook(module, self.args)
                if replaced is not None:
                    self.args = replaced if isinstance(replaced, tuple) else (replaced,)

    def call_hooks(self) -> None:
        """Call the forward hooks, which may replace the result."""
        module = self.module
        for number, hook in (*global_hooks.FORWARD.items(), *module._forward_hooks.items()):
            if number in module._forward_hooks_always_called or number in global_hooks.FORWARD_ALWAYS:
                self.called.add(number)
            self.call_hook(number, hook)

    def call_hook(self, number: int, hook: Hook) -> None:
        """Call one forward hook."""
        module = self.module
        if number in module._forward_hooks_with_kwargs or number in global_hooks.FORWARD_WITH_KWARGS:
            replaced = hook(module, self.args, self.kwargs, self.result)
        else:
            replaced = hook(module, self.args, self.result)
        if replaced is not None:
            self.result = replaced

    def call_remaining_hooks(self) -> None:
        """Call the hooks with ``always_call`` that an exception has kept from being called."""
        module = self.module
        for kind, hooks, always in (
            ("global module", global_hooks.FORWARD, global_hooks.FORWARD_ALWAYS),
            ("module", module._forward_hooks, module._forward_hooks_always_called),
        ):
            for number, hook in [*hooks.items()]:
                if number not in always or number in self.called:
                    continue
                try:
                    self.call_hook(number, hook)
                except Exception as error:
                    warnings.warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error!s}",
                        stacklevel=4,
                    )

    def register_on_node(self, hooks: Sequence[Hook]) -> None:
        """Register backward hooks of the deprecated kind on the node of the result."""
        value = self.result
        while not isinstance(value, Tensor):
            tensors = (one for one in value.values() if isinstance(one, Tensor)) if isinstance(value, dict) else value
            value = next(iter(tensors))
        node = value.grad_fn
        if node is not None:
            for hook in hooks:
                node.register_hook(WrappedHook(hook, self.module))
            warn_of_missing_grads(self.args, self.result, node)


def backward_hooks(module: Any) -> tuple[Sequence[Hook], Sequence[Hook], Sequence[Hook]]:
    """Return the full backward hooks of a module and of all modules, the pre-hooks, and the deprecated ones."""
    of_all, own = global_hooks.BACKWARD, module._backward_hooks
    if not (of_all or own or global_hooks.BACKWARD_PRE or module._backward_pre_hooks):
        return (), (), ()
    full: list[Hook] = []
    deprecated: list[Hook] = []
    (full if global_hooks.FULL_BACKWARD[0] else deprecated).extend(of_all.values())
    (full if module._is_full_backward_hook else deprecated).extend(own.values())
    return full, [*global_hooks.BACKWARD_PRE.values(), *module._backward_pre_hooks.values()], deprecated
