# Written by tools/generate/module_stubs.py.
from wengert.optim import adadelta as adadelta
from wengert.optim import adagrad as adagrad
from wengert.optim import adam as adam
from wengert.optim import adamax as adamax
from wengert.optim import adamw as adamw
from wengert.optim import asgd as asgd
from wengert.optim import lbfgs as lbfgs
from wengert.optim import lr_scheduler as lr_scheduler
from wengert.optim import nadam as nadam
from wengert.optim import optimizer as optimizer
from wengert.optim import radam as radam
from wengert.optim import rmsprop as rmsprop
from wengert.optim import rprop as rprop
from wengert.optim import sgd as sgd
from wengert.optim import sparse_adam as sparse_adam
from wengert.optim import swa_utils as swa_utils
from wengert_optim.adadelta import Adadelta as Adadelta
from wengert_optim.adafactor import Adafactor as Adafactor
from wengert_optim.adagrad import Adagrad as Adagrad
from wengert_optim.adam import Adam as Adam
from wengert_optim.adamax import Adamax as Adamax
from wengert_optim.adamw import AdamW as AdamW
from wengert_optim.asgd import ASGD as ASGD
from wengert_optim.lbfgs import LBFGS as LBFGS
from wengert_optim.muon import Muon as Muon
from wengert_optim.nadam import NAdam as NAdam
from wengert_optim.optimizer import Optimizer as Optimizer
from wengert_optim.radam import RAdam as RAdam
from wengert_optim.rmsprop import RMSprop as RMSprop
from wengert_optim.rprop import Rprop as Rprop
from wengert_optim.sgd import SGD as SGD
from wengert_optim.sparse_adam import SparseAdam as SparseAdam
from wengert_optim.swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state

__all__ = [
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam", "Optimizer",
    "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam", "swap_in_optimizer_params_and_state"
]
