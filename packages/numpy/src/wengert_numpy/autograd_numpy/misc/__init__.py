"""``wengert.numpy.misc``: flatten, optimizers, fixed points."""

from wengert_numpy.autograd_numpy.misc.tracers import const_graph

__all__ = ["const_graph"]
