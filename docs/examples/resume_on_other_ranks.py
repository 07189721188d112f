"""Train with an optimizer whose state is divided over processes, and go on with another number of them.

    mpiexec -n 2 python resume_on_other_ranks.py --steps 40 --file run.npz
    mpiexec -n 4 python resume_on_other_ranks.py --steps 80 --file run.npz
    python resume_on_other_ranks.py --steps 100 --file run.npz

A run begins where the file ends, if there is one, and writes it anew: the weights and Adam's state in NumPy's npz
format under names like weight/0.weight and state/0/exp_avg, and the optimizer's options as JSON. At the end the first
process trains alone from the beginning. Exit status 1 if its weights differ from those of the file by more than
rounding.
"""

import argparse
import json
import sys
from pathlib import Path

import digits
import numpy as np
import wengert as wg

nn, dist = wg.nn, wg.distributed
BATCH, RATE = 96, 0.003  # 96 is divisible by 1, 2, 3, 4, 6, 8


def new_model():
    """The network at the beginning of each run, float64, so that rounding does not hide mistakes."""
    wg.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 10)).double()


def batch_of_step(step):
    """The images and labels of a step: the same for any number of processes."""
    images, labels, *_ = digits.load()
    chosen = wg.from_numpy(np.random.default_rng(step).permutation(len(labels))[:BATCH])
    return images[chosen].flatten(1).double(), labels[chosen]


def train(model, optimizer, steps, part):
    """The loss of the last step. part: which share of each batch is taken, of how many."""
    loss = None
    for step in steps:
        images, labels = (values.chunk(part[1])[part[0]] for values in batch_of_step(step))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    return loss


def save(file, step, model, optimizer):
    """Write a step's number, weights and the optimizer's state of all processes; the first process does."""
    optimizer.consolidate_state_dict(to=0)
    if dist.get_rank() != 0:
        return
    whole = optimizer.state_dict()
    arrays = {f"weight/{name}": value.detach().numpy() for name, value in model.state_dict().items()}
    for number, state in whole["state"].items():
        arrays |= {f"state/{number}/{name}": np.asarray(value) for name, value in state.items()}
    temporary = file.with_suffix(".tmp.npz")
    np.savez(temporary, step=step, options=json.dumps(whole["param_groups"]), **arrays)
    temporary.replace(file)  # a file is whole, or it is the one before


def load(file, model, optimizer):
    """Take over weights and state from a file on every process; return the step's number."""
    with np.load(file) as arrays:
        tensors = {name: wg.from_numpy(arrays[name]) for name in arrays.files if "/" in name}
        options, step = json.loads(str(arrays["options"])), int(arrays["step"])
    state = {}
    for name, value in tensors.items():
        if name.startswith("state/"):
            _, number, key = name.split("/")
            state.setdefault(int(number), {})[key] = value
    weights = {name.removeprefix("weight/"): v for name, v in tensors.items() if name.startswith("weight/")}
    model.load_state_dict(weights)
    optimizer.load_state_dict({"state": state, "param_groups": options})
    return step


def error_against_one_process(model, steps):
    """The largest difference between the weights and those of a training on one process."""
    alone = new_model()
    train(alone, wg.optim.Adam(alone.parameters(), lr=RATE), range(steps), (0, 1))
    pairs = zip(model.parameters(), alone.parameters(), strict=True)
    return max((one - other).abs().max().item() for one, other in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40, help="the step at which the run ends")
    parser.add_argument("--file", type=Path, default=Path(__file__).parent / "output" / "resume_on_other_ranks.npz")
    options = parser.parse_args()

    dist.init_process_group()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = new_model()
    gradients = dist.DistributedGradients(model.named_parameters())
    optimizer = dist.optim.ZeroRedundancyOptimizer(model.parameters(), wg.optim.Adam, lr=RATE)
    options.file.parent.mkdir(parents=True, exist_ok=True)
    first = load(options.file, model, optimizer) if options.file.exists() else 0
    dist.barrier()  # nobody writes the file that another process still reads
    loss = train(model, optimizer, range(first, options.steps), (rank, ranks))
    save(options.file, max(first, options.steps), model, optimizer)
    parts = [None] * ranks
    own_state = optimizer.optim.state.values()
    dist.all_gather_object(parts, sum(value.numel() for state in own_state for value in state.values()))
    gradients.remove()
    error = error_against_one_process(model, max(first, options.steps)) if rank == 0 else 0
    if rank == 0:
        print(f"steps {first} to {options.steps} on {ranks} processes" + (f", loss {loss.item():.4f}" if loss else ""))
        print(f"numbers in the optimizer's state of each process: {' '.join(map(str, parts))}")
        print(f"weights and state: {options.file}; max difference from one process: {error:.1e}")
    dist.destroy_process_group()
    return 1 if error > 1e-10 else 0


if __name__ == "__main__":
    sys.exit(main())
