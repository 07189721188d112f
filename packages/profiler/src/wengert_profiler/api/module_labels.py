"""Labels for calls of modules, of a profile with ``with_modules=True``."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from wengert_engine.extend import begin_label, end_label

MODULES = "wengert.nn.modules.module"
"""The module whose hooks see all modules, by its public name: it comes with wengert-nn."""


class ModuleLabels:
    """A label ``nn.Module: Linear_0`` for each call of a module in this thread; the number is that of the object.

    Objects of a class are numbered in the order of their first calls. The hooks of modules that PyTorch documents open
    and close the labels, so that any package with these hooks is seen.
    """

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.labels: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self.numbers: dict[str, int] = {}
        self.open: list[int] = []
        self.handles: list[Any] = []

    def start(self) -> None:
        """Register the hooks. ImportError where no package brings modules."""
        hooks = import_module(MODULES)
        self.handles = [
            hooks.register_module_forward_pre_hook(self.begin),
            hooks.register_module_forward_hook(self.end, always_call=True),
        ]

    def stop(self) -> None:
        """Remove the hooks and close the labels of calls that still run."""
        for handle in self.handles:
            handle.remove()
        while self.open:
            end_label(self.open.pop())

    def begin(self, module: Any, args: Any) -> None:
        """Open the label of a call."""
        if threading.get_ident() == self.thread:
            self.open.append(begin_label(self.label_of(module)))

    def end(self, module: Any, args: Any, output: Any) -> None:
        """Close the label of the innermost call."""
        if self.open and threading.get_ident() == self.thread:
            end_label(self.open.pop())

    def label_of(self, module: Any) -> str:
        """Return the label of a module, which is given at its first call."""
        label = self.labels.get(module)
        if label is None:
            name = type(module).__name__
            number = self.numbers[name] = self.numbers.get(name, -1) + 1
            label = self.labels[module] = f"nn.Module: {name}_{number}"
        return label
