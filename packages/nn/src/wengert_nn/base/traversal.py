"""Walks over a module's tree: submodules, parameters and buffers, by name or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wengert_nn.base.registration import Attributes
from wengert_nn.parameter import Parameter


class Tree(Attributes):
    """A module as the root of a tree of modules."""

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield this module and all below it with their dotted names; each module once with `remove_duplicate`.

        memo: modules to leave out. prefix: stands before all names.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        levels = [(f"{prefix}." if prefix else "", iter(self._modules.items()))]  # one generator for all of them
        while levels:
            start, children = levels[-1]
            for name, module in children:
                if module is None or module in memo:
                    continue
                path = start + name
                if type(module).named_modules is not Tree.named_modules:
                    yield from module.named_modules(memo, path, remove_duplicate)
                    continue
                if remove_duplicate:
                    memo.add(module)
                yield path, module
                if module._modules:
                    levels.append((f"{path}.", iter(module._modules.items())))
                    break
            else:
                levels.pop()

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """Yield this module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yield the submodules of this module, not those below them, with their names; each once."""
        memo = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """Yield the submodules of this module, not those below them; each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """Yield members of this module and of those below it, with dotted names; None is left out."""
        memo = set()
        modules: Iterable[tuple[str, Any]] = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in memo:
                    continue
                if remove_duplicate:
                    memo.add(value)
                yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters with their dotted names.

        prefix: stands before all names. recurse: also those of modules below. remove_duplicate: each parameter once.
        """
        return self._named_members(parameters_of, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters; with `recurse` also those of modules below. Each comes once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield the buffers with their dotted names; arguments as for ``named_parameters``."""
        return self._named_members(buffers_of, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """Yield the buffers; with `recurse` also those of modules below. Each comes once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """Return the submodule with a dotted name. AttributeError where there is none."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Attributes):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at a dotted name. With `strict` there must be one already, else AttributeError."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Attributes):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if not hasattr(parent, name):
            if strict:
                raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        elif not isinstance(getattr(parent, name), Attributes):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Any:
        """Return the parameter with a dotted name. AttributeError where there is none."""
        value, name, _ = find_member(self, target)
        if not isinstance(value, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return value

    def get_buffer(self, target: str) -> Any:
        """Return the buffer with a dotted name. AttributeError where there is none."""
        value, name, module = find_member(self, target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return value

    def apply(self, fn: Callable[[Any], None]) -> Any:
        """Call a function with all modules below this one, then with this one; return this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Set ``training`` of this module and of those below it, which dropout and batch norm look at."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Set ``training`` to False: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set ``requires_grad`` of all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                grad = parameter.grad
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return what the text of the module says about it beside its submodules; to be overridden."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indent_lines(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inside = "".join(f"\n  {line}" for line in (*lines, *children))
        return f"{self._get_name()}({inside}\n)" if inside else f"{self._get_name()}()"


def indent_lines(text: str, spaces: int = 2) -> str:
    """Return a text whose lines but the first are indent_lines; blank ones become empty."""
    first, *others = text.split("\n")
    return "\n".join([first, *(" " * spaces + line if line.strip() else "" for line in others)])


def parameters_of(module: Any) -> Iterable[tuple[str, Any]]:
    """The parameters of one module with their names."""
    items: Iterable[tuple[str, Any]] = module._parameters.items()
    return items


def buffers_of(module: Any) -> Iterable[tuple[str, Any]]:
    """The buffers of one module with their names."""
    items: Iterable[tuple[str, Any]] = module._buffers.items()
    return items


def find_member(module: Any, target: str) -> tuple[Any, str, Any]:
    """Return what a dotted name stands for, its last part, and the module that has it."""
    path, _, name = target.rpartition(".")
    module = module.get_submodule(path)
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name), name, module
