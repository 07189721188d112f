"""Profiles training steps of a small network: a table, a trace, a flame graph and the memory that the graph keeps.

    python docs/examples/profile_step.py --out FOLDER

writes trace.json (chrome://tracing, ui.perfetto.dev, docs/_static/trace.html) and flame.html, and prints two tables.
Needs `pip install "wengert[profiler]"`.
"""

import argparse
from pathlib import Path

import wengert as wg
from wengert.autograd.profiler import profile, record_function


def network():
    """Weights of a network 64-128-10, and a batch."""
    wg.manual_seed(0)
    weights = [wg.randn(128, 64) * 0.1, wg.zeros(128), wg.randn(10, 128) * 0.1, wg.zeros(10)]
    for one in weights:
        one.requires_grad_()
    return weights, wg.randn(256, 64), wg.randint(0, 10, (256,))


def step(weights, x, y):
    """One step of gradient descent."""
    with record_function("forward"):
        hidden = wg.nn.functional.relu(wg.nn.functional.linear(x, weights[0], weights[1]))
        loss = wg.nn.functional.cross_entropy(wg.nn.functional.linear(hidden, weights[2], weights[3]), y)
    with record_function("backward"):
        loss.backward()
    with record_function("update"), wg.no_grad():
        for one in weights:
            one -= 0.1 * one.grad
            one.grad = None
    return loss


def main() -> None:
    """Write the files and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "output", help="where the files go")
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)
    options.out.mkdir(parents=True, exist_ok=True)
    weights, x, y = network()
    for _ in range(5):
        step(weights, x, y)  # everything is loaded, memory is there
    with profile(record_shapes=True, profile_memory=True) as prof:
        step(weights, x, y)
    prof.export_chrome_trace(options.out / "trace.json")
    with profile(with_stack=True, with_flops=True) as prof:
        for _ in range(2 if options.quick else 20):
            step(weights, x, y)
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=8))
    wg.profiler.export_flame_graph(prof, options.out / "flame.html", "Training steps of a network 64-128-10")
    with wg.profiler.saved_tensors() as saved:
        step(weights, x, y)
    print(saved)
    print(f"written: {options.out / 'trace.json'}, {options.out / 'flame.html'}")


if __name__ == "__main__":
    main()
