"""Optimizers and learning rate schedulers for wengert, as in torch.optim, loaded when they are asked for.

>>> import wengert as wg
>>> weight = wg.tensor([1.0, 2.0], requires_grad=True)
>>> optimizer = wg.optim.SGD([weight], lr=0.25)
>>> (weight**2).sum().backward()
>>> optimizer.step()
>>> weight
tensor([0.5000, 1.0000], requires_grad=True)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_optim.adadelta import Adadelta
    from wengert_optim.adafactor import Adafactor
    from wengert_optim.adagrad import Adagrad
    from wengert_optim.adam import Adam
    from wengert_optim.adamax import Adamax
    from wengert_optim.adamw import AdamW
    from wengert_optim.asgd import ASGD
    from wengert_optim.lbfgs import LBFGS
    from wengert_optim.muon import Muon
    from wengert_optim.nadam import NAdam
    from wengert_optim.optimizer import Optimizer
    from wengert_optim.radam import RAdam
    from wengert_optim.rmsprop import RMSprop
    from wengert_optim.rprop import Rprop
    from wengert_optim.sgd import SGD
    from wengert_optim.sparse_adam import SparseAdam
    from wengert_optim.swap import swap_in_optimizer_params_and_state

__version__ = "0.1.0"
__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "swap_in_optimizer_params_and_state",
]
MODULES = {"SparseAdam": "sparse_adam", "swap_in_optimizer_params_and_state": "swap"}
"""The modules of names that are not called as them."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'wengert.optim' has no attribute '{name}'", name=name)
    value = globals()[name] = getattr(import_module(f"wengert_optim.{MODULES.get(name, name.lower())}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
