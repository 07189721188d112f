"""What a batched tensor says and refuses as a tensor: its text, its numbers and memory, what autograd keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from wengert_core.display import text
from wengert_core.tensor import Tensor, mount, set_operators
from wengert_core.tensor_methods import LATER

from wengert_engine import attributes
from wengert_engine.batched import is_batched, level_of, physical_of

TRANSFORM = ("You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
             "inside of a function being transformed by a functorch transform. This is unsupported, please attempt "
             "to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() "
             "outside of a function being transformed instead.")
POINTER = RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: it is batched, vmap runs its "
                       "function once for all elements")
STORAGE = NotImplementedError("Cannot access storage of BatchedTensorImpl: it is memory of the whole batch")
HOOK = RuntimeError("vmap: a hook on a batched tensor is not possible: it would get the gradient of the whole batch")
REFUSED: dict[str, Exception] = {
    "numpy": POINTER, "tolist": POINTER, "data_ptr": POINTER, "__array__": POINTER, "__dlpack__": POINTER,
    "untyped_storage": STORAGE, "__copy__": STORAGE, "__deepcopy__": STORAGE, "__reduce_ex__": STORAGE,
    "requires_grad_": RuntimeError(TRANSFORM), "register_hook": HOOK, "retain_grad": HOOK,
    "register_post_accumulate_grad_hook": HOOK,
}
PROPERTIES: dict[str, Exception] = {
    "data": RuntimeError("accessing `data` under vmap transform is not allowed: use detach()"),
    "requires_grad": RuntimeError(TRANSFORM),
    "grad": RuntimeError("vmap: the gradient of a batched tensor cannot be set"),
}


def refusing(method: Callable[..., Any], error: Exception) -> Callable[..., Any]:
    """A method of Tensor that raises for a batched one."""

    @wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_batched(self):
            raise type(error)(*error.args)
        return method(self, *args, **kwargs)

    return checked


def shown(tensor: Any) -> str:
    """``repr``: of a batched tensor, as torch prints it, with the tensor that has the batch."""
    if not is_batched(tensor):
        return text(tensor)
    inner = "\n".join("    " + line for line in shown(physical_of(tensor)).split("\n"))
    return f"BatchedTensor(lvl={level_of(tensor)}, bdim=0, value=\n{inner}\n)"


def method_of(name: str) -> Callable[..., Any]:
    """A method of Tensor itself, where a stand-in is there that its first call would replace."""
    if name in LATER:
        module, target = LATER[name]
        return getattr(import_module(f"wengert_core.{module}"), target)  # type: ignore[no-any-return]
    return getattr(Tensor, name)  # type: ignore[no-any-return]


def install() -> None:
    """Put all of it on Tensor."""
    for name, error in REFUSED.items():
        mount(name, refusing(method_of(name), error))
    for name, error in PROPERTIES.items():
        before = attributes.TENSOR_ATTRIBUTES[name]
        getter = refusing(before.fget, error) if name == "data" else before.fget
        deleter = before.fdel and refusing(before.fdel, error)
        mount(name, property(getter, refusing(before.fset, error), deleter, before.__doc__))
    set_operators({"repr": shown})


install()
