"""Data parallel training by MPI, and the example programs, under mpiexec."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mpi_run import assert_checks_pass, run_program

HERE = Path(__file__).parent
PROGRAM = """
import wengert
wengert.as_torch()
import torch
import torch.distributed as dist
import torch.distributed.algorithms.ddp_comm_hooks.default_hooks as default
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP

def own_hook(state: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    future = dist.all_reduce(bucket.buffer().div_(dist.get_world_size()), async_op=True).get_future()
    return future.then(lambda done: done.value()[0])

def train(state, hook):
    torch.manual_seed(0)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(10, 10), torch.nn.ReLU(), torch.nn.Linear(10, 5)))
    if hook is not None:
        model.register_comm_hook(state, hook)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.SGD, lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(5):
        optimizer.zero_grad()
        torch.nn.MSELoss()(model(torch.randn(20, 10, generator=generator)), torch.zeros(20, 5)).backward()
        optimizer.step()
    return sum(parameter.detach().abs().sum().item() for parameter in model.parameters())

dist.init_process_group("mpi")
state = powerSGD.PowerSGDState(None, start_powerSGD_iter=2)
hooks = [(None, None), (None, default.allreduce_hook), (None, own_hook), (None, default.fp16_compress_hook),
         (state, powerSGD.powerSGD_hook)]
sums = [train(*pair) for pair in hooks]
gathered = [None] * dist.get_world_size()
dist.all_gather_object(gathered, sums)
assert gathered == [sums] * dist.get_world_size(), gathered
if dist.get_rank() == 0:
    print(dist.get_world_size(), *sums)
dist.destroy_process_group()
"""
EXAMPLES = HERE.parents[3] / "docs" / "examples"


@pytest.mark.parametrize("ranks", [2, 4])
def test_training_on_several_processes_is_that_of_one(ranks):
    assert_checks_pass(str(HERE / "mpi_data_parallel_checks.py"), ranks)


def test_the_digits_are_learned_by_two_processes():
    done = run_program(2, EXAMPLES / "data_parallel_digits.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "weights of all processes equal: yes" in done.stdout
    assert float(re.search(r"max relative error (\S+)", done.stdout)[1]) < 1e-12
    assert float(re.search(r"test accuracy: (\S+)%", done.stdout)[1]) > 80


def test_a_training_goes_on_with_another_number_of_processes(tmp_path):
    file = str(tmp_path / "run.npz")
    for ranks, steps, first in ((2, 5, 0), (3, 10, 5), (1, 12, 10)):
        done = run_program(ranks, EXAMPLES / "resume_on_other_ranks.py", "--steps", str(steps), "--file", file)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"steps {first} to {steps} on {ranks} processes" in done.stdout
        assert float(re.search(r"from one process: (\S+)", done.stdout)[1]) < 1e-14
        state = [int(number) for number in re.search(r"of each process: (.*)", done.stdout)[1].split()]
        assert len(state) == ranks
        assert sum(state) == 6938


def test_a_program_in_pytorchs_words_runs_with_wengert_in_the_place_of_torch(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    done = run_program(2, program)
    assert done.returncode == 0, done.stderr
    ranks, *sums = map(float, done.stdout.split())
    assert ranks == 2
    assert sums[1:3] == [sums[0]] * 2
    assert sums[3] == pytest.approx(sums[0], rel=1e-3)
    assert sums[4] == pytest.approx(sums[0], rel=0.1)


@pytest.mark.parametrize("ranks", [2, 4])
def test_random_trainings_agree_with_one_process(ranks):
    assert_checks_pass(str(HERE / "mpi_random_training_checks.py"), ranks)
