"""Modules as functions of their parameters and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Self

import wengert
from wengert import Tensor

from wengert_nn.base.registration import Attributes

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]

ABSENT: Any = object()
"""The value of a name that a module does not have."""


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with these tensors in the place of its parameters and buffers, which it has again afterwards.

    parameter_and_buffer_dicts: tensors by the names of ``named_parameters()`` and ``named_buffers()``, in one dict or
    several without a common name. What the module assigns to these names while it runs stands in the dict afterwards.
    The plain name of a parametrized tensor takes the place of what is computed.
    args, kwargs: arguments of the module; `args` is a tuple, or the only argument.
    tie_weights: a parameter that the module has under several names is replaced under all of them.
    strict: raise RuntimeError where names are missing, or are no parameters or buffers.

    Threads that call one module in this way disturb each other; each needs a copy of its own.

    >>> import wengert as wg
    >>> from wengert.func import functional_call, grad
    >>> layer = wg.nn.Linear(2, 1, bias=False)
    >>> functional_call(layer, {"weight": wg.tensor([[1.0, 2.0]])}, (wg.ones(2),))
    tensor([3.])
    >>> def loss(parameters, x):
    ...     return functional_call(layer, parameters, (x,)).sum()
    >>> grad(loss)({"weight": wg.zeros(1, 2)}, wg.tensor([1.0, -1.0]))
    {'weight': tensor([[ 1., -1.]])}
    """
    tensors = merge(parameter_and_buffer_dicts)
    if not isinstance(args, tuple):
        args = () if args is None else (args,)
    with Replacement(module, tensors, tie_weights, strict):
        return module(*args, **kwargs) if kwargs else module(*args)


def merge(dicts: Any) -> dict[str, Any]:
    """Return the tensors of one dict, which is the result itself, or of several."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, "
            f"but got {type(dicts)}"
        )
    if not all(isinstance(one, dict) for one in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    result: dict[str, Any] = {}
    for one in dicts:
        result |= one
    if len(result) < sum(map(len, dicts)):
        names = [name for name in result if sum(name in one for one in dicts) > 1]
        raise ValueError(f"{names} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return result


class Replacement:
    """The time in which a module has other tensors, as a context manager."""

    def __init__(self, module: Any, tensors: dict[str, Any], tie_weights: bool = False, strict: bool = False) -> None:
        self.module, self.tensors, self.wanted = module, tensors, tensors
        self.places: dict[str, tuple[dict[str, Any], str]] = {}
        """For names of parameters and buffers the table and the key in it."""
        self.modules: dict[str, Any] = {"": module}
        """Modules that have been looked up, by their names."""
        self.replaced: list[tuple[str, dict[str, Any], str, Any]] = []
        """For each name that has been replaced: the table, the key in it and what was there."""
        if tie_weights or strict:
            tied = self.look_up()
            if strict:
                check_names(module, self.places.keys(), tensors.keys())
            if tie_weights and tied:
                self.wanted = with_tied(tensors, tied)

    def look_up(self) -> list[list[str]]:
        """Look up the places of all parameters and buffers; return the groups of names of the same tensor."""
        names: dict[Any, list[str]] = {}
        tied = []
        for path, module in self.module.named_modules(remove_duplicate=False):
            start = f"{path}." if path else ""
            for table in (module._parameters, module._buffers):
                for key, tensor in table.items():
                    if tensor is None:
                        continue
                    name = start + key
                    self.places[name] = table, key
                    same = names.setdefault(tensor, [])
                    same.append(name)
                    if len(same) == 2:
                        tied.append(same)
        return tied

    def __enter__(self) -> Self:
        places, replaced = self.places, self.replaced
        try:
            for name, tensor in self.wanted.items():
                if not isinstance(tensor, Tensor) and tensor is not None:
                    raise TypeError(f"{tensor} is not an instance of torch.Tensor")
                table, key = places.get(name) or slot_of(self.modules, name)
                replaced.append((name, table, key, table.get(key, ABSENT)))
                table[key] = tensor
        except BaseException:
            self.restore()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Give the module back what it had; what it has now goes into the dict."""
        tensors = self.tensors
        for name, table, key, before in reversed(self.replaced):
            now = table.get(key, ABSENT)
            if before is ABSENT:
                table.pop(key, None)
            else:
                table[key] = before
            if now is not ABSENT and name in tensors:
                tensors[name] = now
        self.replaced = []


def slot_of(modules: dict[str, Any], name: str) -> tuple[dict[str, Any], str]:
    """Return the table in which a tensor with a dotted name stands, and the key in it.

    A tensor that is parametrized, an ordinary attribute or absent stands in ``__dict__``. modules: those by name that
    have been looked up.
    """
    path, _, key = name.rpartition(".")
    module = modules.get(path) or submodule(modules, path)
    for table in (module._parameters, module._buffers):
        if key in table:
            return table, key
    if key == "":
        raise KeyError('tensor name can\'t be empty string ""')
    if key not in getattr(type(module), "_parametrized_names", ()):
        present = getattr(module, key, None)
        if not isinstance(present, Tensor) and present is not None:
            raise TypeError(f"attribute `{key}`: {present} is not an instance of torch.Tensor")
        if hasattr(type(getattr(type(module), key, None)), "__set__"):
            raise AttributeError(f"property '{key}' of '{type(module).__name__}' object has no setter")
    return module.__dict__, key


def submodule(modules: dict[str, Any], path: str) -> Any:
    """Return the submodule with a dotted name. AttributeError where there is none, TypeError where it is no module."""
    above, _, name = path.rpartition(".")
    parent = modules.get(above) or submodule(modules, above)
    module = getattr(parent, name, ABSENT)
    if module is ABSENT:
        raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
    if not isinstance(module, Attributes):
        raise TypeError(f"submodule `{path}`: {module} is not an instance of torch.nn.Module")
    modules[path] = module
    return module


def check_names(module: Any, expected: AbstractSet[str], got: AbstractSet[str]) -> None:
    """Raise RuntimeError unless names are those of all parameters and buffers."""
    problems = [
        f"{kind} key(s): {', '.join(map(repr, sorted(names)))}."
        for kind, names in (("Unexpected", got - expected), ("Missing", expected - got))
        if names
    ]
    if problems:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(problems))


def with_tied(tensors: dict[str, Any], groups: list[list[str]]) -> dict[str, Any]:
    """Return tensors with those that have several names under all of them.

    ValueError where such names have different values.
    """
    result = dict(tensors)
    for names in groups:
        values = {tensors[name]: None for name in names if name in tensors}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        for value in values:
            result |= dict.fromkeys(names, value)
    return result


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (parameters, buffers) of several modules, stacked along a new first dimension, by their names.

    models: modules of one class, all in training mode or none. ``vmap`` over `functional_call` of one of them computes
    the results of all. The stacked parameters are leaves, which an optimizer can change.

    >>> import wengert as wg
    >>> from wengert.func import functional_call, stack_module_state, vmap
    >>> models = [wg.nn.Linear(3, 2) for _ in range(5)]
    >>> parameters, buffers = stack_module_state(models)
    >>> parameters["weight"].shape
    torch.Size([5, 2, 3])
    >>> def call(parameters, buffers, x):
    ...     return functional_call(models[0], (parameters, buffers), (x,))
    >>> vmap(call, (0, 0, None))(parameters, buffers, wg.ones(4, 3)).shape
    torch.Size([5, 4, 2])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    for number, model in enumerate(models):
        if not isinstance(model, Attributes):
            raise TypeError(f"stack_module_state: expected models, got {type(model).__name__} as number {number}")
    modes = {bool(model.training) for model in models}
    if len(modes) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return (
        stack_tensors([dict(model.named_parameters()) for model in models]),
        stack_tensors([dict(model.named_buffers()) for model in models]),
    )


def stack_tensors(states: list[dict[str, Any]]) -> dict[str, Any]:
    """Return tensors stacked by their names, as leaves."""
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        needs_grad = {tensor.requires_grad for tensor in tensors}
        if len(needs_grad) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        with wengert.no_grad():
            result[name] = wengert.stack(tensors).requires_grad_(needs_grad.pop())
    return result


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let all batch normalizations of a module use the statistics of each batch; return the module.

    Running statistics are written in place, which vmap over models refuses. They are taken away: ``running_mean``,
    ``running_var`` and ``num_batches_tracked`` become None, ``track_running_stats`` False. TypeError for what is no
    module.

    >>> import wengert as wg
    >>> layer = wg.func.replace_all_batch_norm_modules_(wg.nn.BatchNorm1d(2))
    >>> layer.running_mean, list(layer.state_dict())
    (None, ['weight', 'bias'])
    """
    from wengert_nn.modules.batchnorm import _BatchNorm

    if not isinstance(root, Attributes):
        raise TypeError(f"replace_all_batch_norm_modules_: expected a torch.nn.Module, got {type(root).__name__}")
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
