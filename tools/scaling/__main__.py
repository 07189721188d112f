"""Measure wengert-distributed on this machine; ``--page`` writes docs/distributed-figures.md."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tools.scaling import page
from tools.scaling.launch import medians, run
from tools.scaling.model import Schedule

ROOT = Path(__file__).parents[2]
BUCKETS = (0.25, 1.0, 4.0)
CONTROL = 25.0  # one bucket, of which nothing can be hidden
NETWORKS = ("digits", "transformer")
RUNS = 3


def processor() -> str:
    """Return the name of the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def measure_training(torch: str | None, ranks: int) -> dict[tuple[str, str, float], dict[str, Any]]:
    """Return times of training steps by network, library and bucket size."""
    pythons: dict[str, dict[str, str]] = {"wengert": {}} | ({"torch": {"python": torch}} if torch else {})
    samples: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for _ in range(RUNS):
        for network in NETWORKS:
            for library, options in pythons.items():
                one = run(1, "training_program.py", library, network, "25", **options)["alone"]
                for bucket in BUCKETS:
                    found = run(ranks, "training_program.py", library, network, str(bucket), **options)
                    samples.setdefault((network, library, bucket), []).append(found | {"one": one})
    return {key: medians(each) for key, each in samples.items()}


def measure_hidden(ranks: int) -> dict[tuple[str, str, float], dict[str, Any]]:
    """Return times of training steps over emulated networks, by link, network of neurons and bucket size."""
    samples: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for _ in range(RUNS):
        for name, link in page.LINKS.items():
            for network in NETWORKS:
                for bucket in (*BUCKETS[:2], CONTROL):
                    options = (str(bucket), str(link.latency), str(link.bandwidth))
                    found = run(ranks, "training_program.py", "wengert", network, *options)
                    samples.setdefault((name, network, bucket), []).append(found)
    return {key: medians(each) for key, each in samples.items()}


def main() -> None:
    """Measure everything and print it, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", help="a Python with PyTorch, to measure beside it")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--only", choices=["collectives", "hidden"], help="measure and print these tables alone")
    parser.add_argument("--page", action="store_true", help="write docs/distributed-figures.md")
    options = parser.parse_args()
    if options.only == "hidden":
        print(page.hidden_table(measure_hidden(options.ranks)))
        return
    collectives = medians([run(options.ranks, "collective_program.py") for _ in range(RUNS)])
    tables = page.collective_table(collectives)
    tables += page.each_table(medians([run(options.ranks, "each_program.py") for _ in range(RUNS)]))
    if options.only == "collectives":
        print(tables)
        return
    training = measure_training(options.torch, options.ranks)
    recorded = training["transformer", "wengert", 1.0]["schedule"]
    schedule = Schedule([each / 1e3 for each in recorded["ready"]], [int(each) for each in recorded["nbytes"]],
                        recorded["end"] / 1e3)  # fmt: skip
    text = page.HEAD.format(ranks=options.ranks, processor=processor(), runs=RUNS) + tables
    text += page.training_table(training) + page.hidden_table(measure_hidden(options.ranks))
    text += page.scaling_table({int(key): each["wengert"] for key, each in collectives.items()}, schedule)
    if options.page:
        (ROOT / "docs/distributed-figures.md").write_text(text.rstrip() + "\n")
    print(text)


main()
