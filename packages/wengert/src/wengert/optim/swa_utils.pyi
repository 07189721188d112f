# Written by tools/generate/module_stubs.py.
from wengert_optim.swa_utils import AveragedModel as AveragedModel
from wengert_optim.swa_utils import SWALR as SWALR
from wengert_optim.swa_utils import get_ema_avg_fn as get_ema_avg_fn
from wengert_optim.swa_utils import get_ema_multi_avg_fn as get_ema_multi_avg_fn
from wengert_optim.swa_utils import get_swa_avg_fn as get_swa_avg_fn
from wengert_optim.swa_utils import get_swa_multi_avg_fn as get_swa_multi_avg_fn
from wengert_optim.swa_utils import update_bn as update_bn

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn"
]
