"""The place of PyTorch's functions for pruning, which wengert does not have: asking for one says what to use."""

from __future__ import annotations

from typing import Any

__all__ = [
    *"BasePruningMethod CustomFromMask Identity L1Unstructured LnStructured PruningContainer RandomStructured".split(),
    *"RandomUnstructured custom_from_mask global_unstructured identity is_pruned l1_unstructured ln_structured".split(),
    *"random_structured random_unstructured remove".split(),
]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"torch.nn.utils.prune.{name} is no part of wengert. Multiply the tensor by a mask in a parametrization: "
        "register_parametrization(layer, 'weight', mask), where forward(self, x) of the module `mask` returns "
        "x * self.mask",
        name=name,
    )
