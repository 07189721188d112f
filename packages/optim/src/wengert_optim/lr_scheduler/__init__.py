"""Schedulers of learning rates, as in torch.optim.lr_scheduler.

Make one with its optimizer, and call its ``step`` after ``optimizer.step()``, once for each batch or epoch. The names
with underscores are those that schedulers written for PyTorch import.
"""

from wengert_optim.lr_scheduler.base import EPOCH_IS_DEPRECATED as EPOCH_DEPRECATION_WARNING
from wengert_optim.lr_scheduler.base import LRScheduler, _LRScheduler
from wengert_optim.lr_scheduler.base import group_values as _param_groups_val_list
from wengert_optim.lr_scheduler.base import per_group as _format_param
from wengert_optim.lr_scheduler.base import set_group_value as _update_param_group_val
from wengert_optim.lr_scheduler.base import warn_outside_step as _warn_get_lr_called_within_step
from wengert_optim.lr_scheduler.base import within_step as _enable_get_lr_call
from wengert_optim.lr_scheduler.chained import ChainedScheduler, SequentialLR
from wengert_optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from wengert_optim.lr_scheduler.cyclic import CyclicLR
from wengert_optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from wengert_optim.lr_scheduler.functions import LambdaLR, MultiplicativeLR
from wengert_optim.lr_scheduler.one_cycle import OneCycleLR
from wengert_optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "EPOCH_DEPRECATION_WARNING",
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "_LRScheduler",
    "_enable_get_lr_call",
    "_format_param",
    "_param_groups_val_list",
    "_update_param_group_val",
    "_warn_get_lr_called_within_step",
]
