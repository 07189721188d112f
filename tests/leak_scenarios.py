"""Rounds of work that must leave nothing behind: `python leak_scenarios.py NAME ROUNDS` runs one many times and prints
by how many allocated blocks and by how many bytes of resident memory the process has grown after a warm-up.
"""

import contextlib
import ctypes
import gc
import sys

import wengert as torch

X, W = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
KEPT = []
MALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(("malloc", ctypes.CDLL(None)))


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = x * 2
        ctx.save_for_backward(x, out)
        ctx.note = [x.shape]
        return out

    @staticmethod
    def backward(ctx, g):
        x, out = ctx.saved_tensors
        return g * out / x


class Cyclic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, early):
        ctx.save_for_backward(x)
        if early:
            raise ValueError("forward")
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("backward")


def sum_of_cubes(x):
    return (x * x * x).sum()


def transforms_of_functions():
    x, func = W.detach(), torch.func
    torch.autograd.functional.hvp(sum_of_cubes, x, x)
    func.jvp(func.grad(sum_of_cubes), (x,), (x,))
    func.grad(lambda x: func.vjp(torch.sin, x)[1](x)[0].sum())(x)
    with contextlib.suppress(ValueError):
        func.grad(refuse)(x)


def refuse(*_):
    raise ValueError("hook")


def small_graphs():
    ((X * W).sin().exp() + X).sum().backward()


def hooks():
    x = torch.ones(4, requires_grad=True)
    y = x * W
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.grad_fn.register_hook(lambda gi, go: None)
    y.grad_fn.register_prehook(lambda go: None)
    x.register_post_accumulate_grad_hook(lambda t: None)
    x.register_hook(lambda g: y.shape and None).remove()
    y.sum().backward()


def hooks_that_know_their_tensor():
    y = X * W
    y.register_hook(lambda g: y * 0 + g)
    y.sum().backward()


def cycles_of_create_graph():
    x = torch.ones(4, requires_grad=True)
    (x * x * x).sum().backward(create_graph=True)
    (x.grad * x).sum().backward()


def second_order():
    (g,) = torch.autograd.grad((X * X * W).sum(), X, create_graph=True)
    torch.autograd.grad(g.sum(), [X, W])


def exceptions_in_hooks():
    y = X * W
    y.register_hook(refuse)
    with contextlib.suppress(ValueError):
        (y.exp() * y).sum().backward()


def exceptions_in_functions():
    for early in (True, False):
        with contextlib.suppress(ValueError):
            Failing.apply(X * W, early).sum().backward()


def custom_functions():
    Scale.apply(X * W).sum().backward()


def custom_functions_in_cycles():
    y = Cyclic.apply(X * W)
    y.grad_fn.out = y


def saved_results():
    y = (X * W).exp()
    KEPT.append(y.tanh())
    if len(KEPT) > 10:
        KEPT.pop(0).sum().backward()


def graphs_that_are_never_run():
    y = (X * W).exp()
    y[1:].mul_(y[:3].detach() * 2)


def refused_backwards():
    y = (X * W).exp()
    y.add_(1)
    for root in (y.sum(), y):
        with contextlib.suppress(RuntimeError):
            root.backward()
    z = (X * W).sin().sum()
    z.backward()
    with contextlib.suppress(RuntimeError):
        z.backward()


def writes_to_views():
    y = X * W
    parts, view = y.unbind(0), y[1:]
    view.mul_(y[:3].clone())
    y.copy_(y * 2)
    with contextlib.suppress(RuntimeError):
        parts[0].add_(1)
    with contextlib.suppress(RuntimeError):
        _ = parts[0] * 2
    view.sum().backward()


def data_and_detach():
    x = torch.ones(4, requires_grad=True)
    x.data = x.data * 2
    (x * x.detach()).sum().backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    x.grad = None


def hooks_for_saved_tensors():
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t.detach(), 1), lambda pair: pair[0]):
        y = (X * W).exp()
    y.sum().backward()


def anomaly_mode():
    with torch.autograd.detect_anomaly():
        (X * W).exp().sum().backward()


def profiles():
    profiler = torch.autograd.profiler
    options = {"record_shapes": True, "with_stack": True, "profile_memory": True}
    with profiler.profile(**options) as prof, profiler.record_function("step", "n"):
        (Scale.apply(X) * W).sum().backward()
    prof.key_averages(True, 1)
    X.grad = W.grad = None


def followed_memory():
    with torch.profiler.saved_tensors():
        (X * W).sin().sum().backward()


def step_with_backward(x):
    W.grad = None
    loss = (W * x).sin().sum() + torch.rand(1).sum()
    loss.backward()
    return loss.detach(), torch.sort(x)[0] if loss > 4 else x * 2, W.grad


STEP, SQUARE = torch.capture(step_with_backward), torch.capture(lambda x: (W * x).pow(2))


def replays():
    """Programs with branches, calls of drivers and gradients, and results with a graph."""
    STEP(X.detach())
    SQUARE(X.detach()).sum().backward()
    W.grad = None


def recordings():
    weight = torch.ones(4, requires_grad=True)
    step = torch.capture(lambda x: (weight * x).sum().backward())
    step(torch.ones(4)), step(torch.ones(4))


def one_object_each_time():
    """What the measurement must see."""
    KEPT.append(object())


def few_bytes_each_time():
    """What the measurement of all memory must see: 64 bytes, which Python's allocator does not know."""
    ctypes.memset(MALLOC(64), 1, 64)


def resident():
    """Bytes of resident memory, by the pages themselves: the counter of statm lags behind by some hundred kilobytes."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:"))


def sizes_after(scenario, rounds):
    for _ in range(rounds):
        scenario()
    X.grad = W.grad = None
    gc.collect()
    return sys.getallocatedblocks(), resident()


def measure(scenario, rounds):
    """(blocks, bytes) by which ``rounds`` rounds let the process grow, after a tenth as many to warm up.

    Twice the smaller growth of two halves: a leak grows in both, but an arena of Python's allocator (1 MiB at once, and
    given back when it happens to be empty) comes in one of them.
    """
    ctypes.CDLL(None).malloc_trim(0)  # a leak into pages that import has left resident would not be seen
    warm = sizes_after(scenario, rounds // 10 + 50)
    half = sizes_after(scenario, rounds // 2)
    whole = sizes_after(scenario, rounds // 2)
    return tuple(2 * min(b - a, c - b) for a, b, c in zip(warm, half, whole, strict=True))


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    print(*measure(globals()[sys.argv[1]], int(sys.argv[2])))
