"""Checks on two processes with MPI: they give what two processes of PyTorch with gloo gave."""

from __future__ import annotations

import json
from pathlib import Path

import wengert as wg
from two_rank_cases import answers_of
from wengert_testing.recorded import read_answers

RECORDED = read_answers(Path(__file__).parent / "recorded" / "two_ranks.jsonl").answers


def check_two_processes_do_what_torch_does() -> None:
    wg.distributed.init_process_group("mpi")
    rank = wg.distributed.get_rank()
    answers = json.loads(json.dumps(answers_of(wg, wg.distributed)))
    wg.distributed.destroy_process_group()
    assert answers.keys() == RECORDED.keys()
    unlike = {name: (answers[name], both[rank]) for name, both in RECORDED.items() if answers[name] != both[rank]}
    assert not unlike
