"""The page docs/distributed-figures.md."""

from __future__ import annotations

from typing import Any

from tools.scaling.model import Network, Schedule, fit, predicted_seconds, replayed_seconds

RANKS = (8, 32, 128, 512, 1024)
NETWORKS = {
    "this machine": None,
    "10 Gbit/s Ethernet": Network(30e-6, 1.25e9),
    "200 Gbit/s InfiniBand": Network(2e-6, 25e9),
}
LINKS = {"10 Gbit/s": Network(30e-6, 1.25e9), "25 Gbit/s": Network(20e-6, 3.125e9)}
"""The emulated networks of the table of hidden communication."""
HEAD = """# Figures of several ranks

Written by `python -m tools.scaling`, which anybody can run: {ranks} ranks on one machine ({processor}), one thread
each, medians of {runs} runs in which all candidates take turns.

"""


def rows(*lines: list[str]) -> str:
    """Return a table; the first line is its head."""
    head, *rest = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rest]) + "\n\n"


def size_words(nbytes: int) -> str:
    """Return a size in a unit that fits.

    >>> size_words(64), size_words(1 << 20)
    ('64 B', '1 MiB')
    """
    for power, unit in ((20, "MiB"), (10, "KiB")):
        if nbytes >= 1 << power:
            return f"{nbytes >> power} {unit}"
    return f"{nbytes} B"


def collective_table(found: dict[str, dict[str, float]]) -> str:
    """Return the table of all_reduce."""
    lines = [["float32, in place", "mpi4py `Allreduce`, µs", "`all_reduce`, µs", "more, µs", "mpi4py / wengert"]]
    for nbytes, times in found.items():
        ours, theirs = times["wengert"], times["mpi4py"]
        lines.append([size_words(int(nbytes)), f"{theirs:.1f}", f"{ours:.1f}", f"{ours - theirs:.1f}",
                      f"{theirs / ours:.2f}"])  # fmt: skip
    return "## all_reduce beside mpi4py\n\n" + rows(*lines)


def each_table(found: dict[str, dict[str, float]]) -> str:
    """Return the table of all collectives of 64 B."""
    lines = [["64 B of float32 for each rank", "mpi4py, µs", "wengert, µs", "more, µs"]]
    for name, times in found.items():
        ours, theirs = times["wengert"], times["mpi4py"]
        lines.append([f"`{name.replace(' and ', '`, `')}`", f"{theirs:.1f}", f"{ours:.1f}", f"{ours - theirs:.1f}"])
    text = (
        "mpi4py's blocking call on the same memory, or on an array of all parts where there are lists of tensors. The "
        "last rows are a message to the other rank and the answer, and both at once, with their waits.\n\n"
    )
    return "## Other collectives beside mpi4py\n\n" + text + rows(*lines)


def hidden_part(times: dict[str, float]) -> float:
    """Return the part of the reductions' time that a step does not show."""
    return 1 - max(times["step"] - times["local"], 0.0) / times["reduce"]


def training_table(found: dict[tuple[str, str, float], dict[str, Any]]) -> str:
    """Return the table of training steps."""
    lines = [["network, bucket", "library", "step of one rank, ms", "without reductions", "with reductions",
              "reductions alone", "hidden", "efficiency"]]  # fmt: skip
    for (network, library, bucket), times in found.items():
        lines.append(
            [f"{network}, {bucket:g} MiB", library,
             *(f"{times[key]:.2f}" for key in ("one", "local", "step", "reduce")),
             f"{hidden_part(times):.0%}", f"{times['one'] / times['step']:.0%}"]
        )  # fmt: skip
    text = (
        "Each rank has a batch of its own. Efficiency is the step of one rank, alone on the machine, over the step of "
        "both; hidden is the part of the reductions' time that a step does not show. It is negative where ranks wait "
        "for each other longer than the reductions alone take; with as many ranks as cores no core is left to hide "
        "them behind.\n\n"
    )
    return "## Training steps of two ranks, beside PyTorch with gloo\n\n" + text + rows(*lines)


def hidden_table(found: dict[tuple[str, str, float], dict[str, Any]]) -> str:
    """Return the table of communication behind backward, by link, module and bucket."""
    lines = [["module, bucket", "link", "backward, ms", "transfers take", "step, transfers in no time",
              "step, with transfers", "longer", "hidden"]]  # fmt: skip
    for (link, module, bucket), times in found.items():
        lines.append(
            [f"{module}, {bucket:g} MiB", link,
             *(f"{times[key]:.2f}" for key in ("backward", "delays", "instant", "step", "exposed")),
             f"{1 - times['exposed'] / times['delays']:.0%}"]
        )  # fmt: skip
    latencies = ", ".join(f"{name} with {link.latency * 1e6:g} µs of latency" for name, link in LINKS.items())
    text = (
        "Real ranks, real backward passes, one on each core, and an emulated network: a transfer begins when both "
        "ranks have begun it and the one before has ended, and ends after the time that the formula below gives it "
        f"({latencies}). It needs no core, as one that a network card does, and moves no memory. The two steps take "
        "turns; hidden is the part of the transfers' time by which the step with transfers is not longer. The last "
        "bucket is complete when backward ends, so that its transfer cannot be hidden; all gradients in one bucket, of "
        "25 MiB, are the control.\n\n"
    )
    return "## Communication behind backward\n\n" + text + rows(*lines)


def scaling_table(microseconds: dict[int, float], schedule: Schedule) -> str:
    """Return the model's table for more ranks, and how it was checked."""
    fitted = fit(microseconds)
    lines = [["network", "ranks", "model, ms", "replayed, ms", "efficiency"]]
    for name, network in NETWORKS.items():
        for ranks in RANKS:
            seconds = predicted_seconds(schedule, network or fitted, ranks)
            replayed = replayed_seconds(schedule, network or fitted, ranks)
            lines.append([name, str(ranks), f"{seconds * 1e3:.2f}", f"{replayed * 1e3:.2f}",
                          f"{schedule.end / seconds:.0%}"])  # fmt: skip
    text = (
        "A model: an all_reduce of `b` bytes on `n` ranks takes "
        "`2 ceil(log2 n) latency + 2 (n - 1) / n b / bandwidth`; a step begins a bucket when its gradients are there, "
        "one bucket after another, and ends when backward and the last bucket have. Fitted to the table above: latency "
        f"{fitted.latency * 1e6:.1f} µs, bandwidth {fitted.bandwidth / 1e9:.2f} GB/s; the other networks are their "
        "makers' figures. The schedule is that of the transformer block. The last column but one is the same schedule, "
        "run by simulated ranks with these delays. Limits: no contention between jobs, no slow ranks, no topology, and "
        "the measured machine has one memory for both ranks.\n\n"
    )
    return "## More ranks than this machine has\n\n" + text + rows(*lines)
