"""The functional forms of all optimizers, which change lists of parameters and their state in place."""

from wengert_optim.adadelta import adadelta
from wengert_optim.adagrad import adagrad
from wengert_optim.adam import adam
from wengert_optim.adamax import adamax
from wengert_optim.adamw import adamw
from wengert_optim.asgd import asgd
from wengert_optim.nadam import nadam
from wengert_optim.radam import radam
from wengert_optim.rmsprop import rmsprop
from wengert_optim.rprop import rprop
from wengert_optim.sgd import sgd
from wengert_optim.sparse_adam import sparse_adam

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
    "sparse_adam",
]
