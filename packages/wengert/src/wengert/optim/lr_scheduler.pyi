# Written by tools/generate/module_stubs.py.
from wengert_optim.lr_scheduler import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from wengert_optim.lr_scheduler import _enable_get_lr_call as _enable_get_lr_call
from wengert_optim.lr_scheduler import _format_param as _format_param
from wengert_optim.lr_scheduler import _param_groups_val_list as _param_groups_val_list
from wengert_optim.lr_scheduler import _update_param_group_val as _update_param_group_val
from wengert_optim.lr_scheduler import _warn_get_lr_called_within_step as _warn_get_lr_called_within_step
from wengert_optim.lr_scheduler.base import LRScheduler as LRScheduler
from wengert_optim.lr_scheduler.base import _LRScheduler as _LRScheduler
from wengert_optim.lr_scheduler.chained import ChainedScheduler as ChainedScheduler
from wengert_optim.lr_scheduler.chained import SequentialLR as SequentialLR
from wengert_optim.lr_scheduler.cosine import CosineAnnealingLR as CosineAnnealingLR
from wengert_optim.lr_scheduler.cosine import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from wengert_optim.lr_scheduler.cyclic import CyclicLR as CyclicLR
from wengert_optim.lr_scheduler.factors import ConstantLR as ConstantLR
from wengert_optim.lr_scheduler.factors import ExponentialLR as ExponentialLR
from wengert_optim.lr_scheduler.factors import LinearLR as LinearLR
from wengert_optim.lr_scheduler.factors import MultiStepLR as MultiStepLR
from wengert_optim.lr_scheduler.factors import PolynomialLR as PolynomialLR
from wengert_optim.lr_scheduler.factors import StepLR as StepLR
from wengert_optim.lr_scheduler.functions import LambdaLR as LambdaLR
from wengert_optim.lr_scheduler.functions import MultiplicativeLR as MultiplicativeLR
from wengert_optim.lr_scheduler.one_cycle import OneCycleLR as OneCycleLR
from wengert_optim.lr_scheduler.plateau import ReduceLROnPlateau as ReduceLROnPlateau

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
    "EPOCH_DEPRECATION_WARNING", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR", "_LRScheduler",
    "_enable_get_lr_call", "_format_param", "_param_groups_val_list", "_update_param_group_val",
    "_warn_get_lr_called_within_step"
]
