"""The names of torch.cuda's graphs for the simulated device, and steps of random programs on it."""

from __future__ import annotations

import wengert as wg
from wengert_core.extend import accelerator_functions
from wengert_replay.devices.graphs import graph_names

SIM = accelerator_functions("sim")
NAMES = graph_names("sim")
CUDAGraph, graph, make_graphed_callables = (NAMES[name] for name in ("CUDAGraph", "graph", "make_graphed_callables"))
STEPS = {
    "add": lambda x, y: x + y, "mul": lambda x, y: x * y.cos(), "matmul": lambda x, y: x @ y,
    "in place": lambda x, y: (y * 1).add_(x), "view": lambda x, y: x.t() + y[0],
    "reduce": lambda x, y: x - y.sum(1, keepdim=True), "softmax": lambda x, y: x.softmax(1),
    "random": lambda x, y: x + wg.rand(3, 3, device=x.device), "where": lambda x, y: wg.where(x > 0, x, y),
    "sort": lambda x, y: x.sort(1)[0], "flip": lambda x, y: x.flip(0) * y, "cat": lambda x, y: wg.cat([x, y])[1:4],
}  # fmt: skip
"""Each of a matrix of 3 x 3 and of the one before."""


def on_sim(values, **options):
    """Return a tensor on the simulated device."""
    return wg.tensor(values, device="sim", **options)


def capture(function, **options):
    """Capture a function; return the graph and what the function gave."""
    made = CUDAGraph()
    with graph(made, **options):
        result = function()
    return made, result
