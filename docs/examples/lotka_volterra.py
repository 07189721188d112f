"""Fit a predator-prey system to twenty-one years of hare and lynx, through its numerical solution.

    python lotka_volterra.py [--iterations 200] [--out output] [--quick]

    hare' = alpha hare - beta hare lynx        lynx' = delta hare lynx - gamma lynx

Data: pelts collected by the Hudson's Bay Company, 1900 to 1920 (data/SOURCE.md). A Runge-Kutta loop of many thousand
operations on single numbers leads from the parameters to the loss; `backward` differentiates all of it. Exit status 1
if the gradient is wrong or the fit is bad.
"""

import argparse
import csv
import statistics
import sys
import time
from pathlib import Path

import wengert as wg

DATA = Path(__file__).parent / "data" / "hudson_bay_pelts.csv"
NAMES = "alpha", "beta", "gamma", "delta", "hare in 1900", "lynx in 1900"
# Means of the posterior in B. Carpenter (2018), Predator-Prey Population Dynamics: the Lotka-Volterra model in Stan.
PUBLISHED = 0.545, 0.028, 0.803, 0.024, 33.956, 5.933
STEPS = 8  # of the Runge-Kutta method, in a year


def load():
    """Years, and the logarithms of the pelts in thousands, float64[n, 2]: hare, lynx."""
    with DATA.open(newline="") as file:
        rows = list(csv.DictReader(file))
    pelts = wg.tensor([[float(row["hare"]), float(row["lynx"])] for row in rows], dtype=wg.float64)
    return [int(row["year"]) for row in rows], pelts.log()


def first_guess(log_pelts):
    """Logarithms of the six parameters, from what small oscillations about the equilibrium would have.

    Their means are gamma / delta and alpha / beta, their period is 2 pi / sqrt(alpha gamma): about ten years here.
    """
    hare, lynx = log_pelts.exp().mean(0).tolist()
    rate = 2 * 3.1416 / 10
    numbers = wg.tensor([rate, rate / lynx, rate, rate / hare, *log_pelts[0].exp().tolist()], dtype=wg.float64)
    return [p.clone().requires_grad_() for p in numbers.log()]


def slopes(hare, lynx, alpha, beta, gamma, delta):
    return hare * (alpha - beta * lynx), lynx * (delta * hare - gamma)


def runge_kutta_step(hare, lynx, rates, h):
    """One step of the classical method of order 4."""
    u1, v1 = slopes(hare, lynx, *rates)
    u2, v2 = slopes(hare + u1 * (h / 2), lynx + v1 * (h / 2), *rates)
    u3, v3 = slopes(hare + u2 * (h / 2), lynx + v2 * (h / 2), *rates)
    u4, v4 = slopes(hare + u3 * h, lynx + v3 * h, *rates)
    return hare + (u1 + 2 * (u2 + u3) + u4) * (h / 6), lynx + (v1 + 2 * (v2 + v3) + v4) * (h / 6)


def solve(parameters, years):
    """Both populations after each step of `years` years, [years * STEPS + 1, 2]: hare, lynx."""
    *rates, hare, lynx = [p.exp() for p in parameters]
    path = [hare, lynx]
    for _ in range(years * STEPS):
        hare, lynx = runge_kutta_step(hare, lynx, rates, 1 / STEPS)
        path += [hare, lynx]
    return wg.stack(path).reshape(-1, 2)


def residuals(parameters, log_pelts):
    """Differences of the logarithms, for pelts are counted with an error in proportion; [n, 2]."""
    return solve(parameters, len(log_pelts) - 1)[::STEPS].log() - log_pelts


def loss_of(parameters, log_pelts):
    """Mean square of the residuals."""
    return (residuals(parameters, log_pelts) ** 2).mean()


def adam_step(parameters, means, squares, step, rate):
    """One step of Adam (Kingma, Ba 2015), in place."""
    with wg.no_grad():
        for parameter, mean, square in zip(parameters, means, squares, strict=True):
            grad = parameter.grad
            mean.mul_(0.9).add_(grad, alpha=0.1)
            square.mul_(0.99).add_(grad * grad, alpha=0.01)
            scale = (square / (1 - 0.99**step)).sqrt() + 1e-8
            parameter.sub_(mean / (1 - 0.9**step) / scale, alpha=rate)
            parameter.grad = None


def fit(parameters, log_pelts, iterations):
    """Change the parameters in place, from the gradient of the loss; return the seconds of each iteration."""
    means, squares = ([wg.zeros_like(p) for p in parameters] for _ in range(2))
    seconds = []
    for step in range(1, iterations + 1):
        began = time.perf_counter()
        loss = loss_of(parameters, log_pelts)
        loss.backward()
        adam_step(parameters, means, squares, step, rate=0.1 * (1 - (step - 1) / iterations))
        seconds.append(time.perf_counter() - began)
        if step == 1 or step % max(1, iterations // 10) == 0:
            print(f"iteration {step:4}/{iterations}: loss {loss.item():.5f}", flush=True)
    return seconds


def gradient_error(parameters, log_pelts, step=1e-5):
    """Largest difference between backward's gradient and central differences, relative to the largest gradient."""
    parameters = [p.detach().clone().requires_grad_() for p in parameters]
    loss_of(parameters, log_pelts).backward()
    gradient = [p.grad.item() for p in parameters]
    worst = 0.0
    for i in range(len(parameters)):
        with wg.no_grad():
            losses = []
            for change in (step, -step):
                losses.append(loss_of([p + change * (i == j) for j, p in enumerate(parameters)], log_pelts).item())
        worst = max(worst, abs((losses[0] - losses[1]) / (2 * step) - gradient[i]))
    return worst / max(map(abs, gradient))


def report(parameters, years, log_pelts):
    """Print parameters and residuals; return the root mean square residual of hare and lynx, the larger one."""
    print(f"{'':14}{'fitted':>8}{'published':>11}")
    for name, parameter, published in zip(NAMES, parameters, PUBLISHED, strict=True):
        print(f"{name:14}{parameter.exp().item():8.3f}{published:11.3f}")
    with wg.no_grad():
        differences = residuals(parameters, log_pelts)
        fitted = (log_pelts + differences).exp()
    print("        hare pelts       lynx pelts      (thousands)")
    print("year  counted fitted  counted fitted")
    for year, counted, model in zip(years, log_pelts.exp().tolist(), fitted.tolist(), strict=True):
        print(f"{year}{counted[0]:9.1f}{model[0]:7.1f}{counted[1]:9.1f}{model[1]:7.1f}")
    hare, lynx = (differences**2).mean(0).sqrt().tolist()
    print(f"root mean square residual of the logarithms: hare {hare:.3f}, lynx {lynx:.3f} (published: 0.25)")
    return max(hare, lynx)


def draw(out, parameters, years, log_pelts):
    """Write lotka_volterra.png."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    out.mkdir(parents=True, exist_ok=True)
    with wg.no_grad():
        path = solve(parameters, len(years) - 1).cpu().numpy()
    pelts = log_pelts.exp().cpu().numpy()
    times = [years[0] + i / STEPS for i in range(len(path))]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), width_ratios=(2, 1), layout="constrained")
    for i, (name, color) in enumerate((("hare", "tab:blue"), ("lynx", "tab:red"))):
        left.plot(times, path[:, i], color=color, label=f"{name}, fitted")
        left.plot(years, pelts[:, i], "o", color=color, label=f"{name}, counted")
    left.set(ylabel="thousands of pelts", xticks=years[::5], ylim=(0, 100))
    left.legend(ncols=4, loc="upper center", fontsize="small")
    right.plot(path[:, 0], path[:, 1], color="grey")
    right.plot(pelts[:, 0], pelts[:, 1], "o", color="black", markersize=3)
    right.set(xlabel="hare", ylabel="lynx")
    figure.savefig(out / "lotka_volterra.png", dpi=120)
    print(f"picture: {out / 'lotka_volterra.png'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "output")
    parser.add_argument("--quick", action="store_true", help="5 iterations, and no demand on the fit")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)

    years, log_pelts = load()
    parameters = first_guess(log_pelts)
    error = gradient_error(parameters, log_pelts)
    seconds = fit(parameters, log_pelts, 5 if options.quick else options.iterations)
    residual = report(parameters, years, log_pelts)
    print(f"gradient against central differences: max relative error {error:.1e}")
    print(f"time per step: {1e3 * statistics.median(seconds):.1f} ms (median of {len(seconds)} iterations)")
    draw(options.out, parameters, years, log_pelts)
    return 1 if error > 1e-6 or (residual > 0.3 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
