"""Record what two processes of PyTorch with gloo give for the cases of packages/distributed/tests/two_rank_cases.py."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from wengert_testing.recorded import Entry, update_answers

from tools.record import ROOT

TESTS = ROOT / "packages" / "distributed" / "tests"


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the file again."""
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(answer, (folder,), nprocs=2)
        ranks = [json.loads((Path(folder) / str(rank)).read_text(encoding="utf-8")) for rank in range(2)]
    entries = [Entry(name, None, [of_rank[name] for of_rank in ranks]) for name in ranks[0]]
    header = {"torch": torch.__version__}
    path = TESTS / "recorded" / "two_ranks.jsonl"
    return update_answers(path, header, entries, lambda old, new: bool(old == new), options.replace)


def answer(rank: int, folder: str) -> None:
    """Write the answers of one process of two."""
    sys.path.insert(0, str(TESTS))
    torch: Any = importlib.import_module("torch")
    warnings.simplefilter("ignore")
    store = torch.distributed.FileStore(f"{folder}/store", 2)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=2)
    answers = importlib.import_module("two_rank_cases").answers_of(torch, torch.distributed)
    (Path(folder) / str(rank)).write_text(json.dumps(answers), encoding="utf-8")
