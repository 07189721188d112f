"""Teach a long short-term memory to add two numbers that it was shown many steps apart.

    python lstm.py [--steps 600] [--seed 0] [--quick] [--device cuda]

Each sequence has random numbers between 0 and 1, two of which are marked; the network reads it step by step and has to
say the sum of these two after the last step (Hochreiter and Schmidhuber, Long short-term memory, 1997). Sequences have
10 to 30 steps and are packed, so that no step is computed for padding. Exit status 1 if the error on new sequences is
above 0.01, where the constant answer 1 has 1/6, or if the gradient is wrong.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import wengert as wg

nn, rnn = wg.nn, wg.nn.utils.rnn
SHORTEST, LONGEST, BATCH, HIDDEN, RATE = 10, 30, 32, 32, 0.01


class Adder(nn.Module):
    """Reads packed sequences of pairs (number, mark); says one number for each."""

    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(2, HIDDEN)
        self.answer = nn.Linear(HIDDEN, 1)

    def forward(self, sequences):
        _, (hidden, _) = self.memory(sequences)
        return self.answer(hidden[-1]).squeeze(1)


def make_batch(size, device):
    """Packed sequences, and the sums of the two numbers that are marked in each: float32[size]."""
    sequences, sums = [], []
    for length in wg.randint(SHORTEST, LONGEST + 1, (size,)).tolist():
        numbers, marks = wg.rand(length), wg.zeros(length)
        half = length // 2
        for place in (wg.randint(0, half, ()), wg.randint(half, length, ())):
            marks[place] = 1
        sequences.append(wg.stack([numbers, marks], 1))
        sums.append((numbers * marks).sum())
    return rnn.pack_sequence(sequences, enforce_sorted=False).to(device), wg.stack(sums).to(device)


def train(model, steps, device):
    """The mean losses of tenths of the training, and the seconds of each step."""
    optimizer = wg.optim.Adam(model.parameters(), lr=RATE)
    losses, seconds = [], []
    for step in range(steps):
        sequences, sums = make_batch(BATCH, device)
        began = time.perf_counter()
        loss = nn.functional.mse_loss(model(sequences), sums)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - began)
        losses.append(loss.item())
        if (step + 1) % max(1, steps // 10) == 0:
            mean = statistics.fmean(losses[-max(1, steps // 10) :])
            print(f"step {step + 1:>4}/{steps}: mean squared error {mean:.4f}", flush=True)
    return seconds


def check_gradient(model, device):
    """The largest difference between a gradient in float64 and central finite differences, over its largest entry."""
    model = model.double()
    sequences, sums = make_batch(4, device)
    sequences, sums = sequences.double(), sums.double()
    weight = model.memory.weight_hh_l0
    model.zero_grad()
    nn.functional.mse_loss(model(sequences), sums).backward()
    worst, size = 0.0, 1e-6
    for row, column in ((0, 0), (HIDDEN, 3), (2 * HIDDEN, 5), (3 * HIDDEN, 7)):  # one weight of each gate
        values = []
        with wg.no_grad():
            for shift in (size, -2 * size, size):
                weight[row, column] += shift
                values.append(nn.functional.mse_loss(model(sequences), sums).item())
        numeric = (values[0] - values[1]) / (2 * size)
        worst = max(worst, abs(numeric - weight.grad[row, column].item()))
    return worst / weight.grad.abs().max().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="not used: the program writes nothing")
    parser.add_argument("--quick", action="store_true", help="ten steps, whose result is not checked")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()

    wg.manual_seed(options.seed)
    model = Adder().to(options.device)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{count} parameters, batches of {BATCH} sequences of {SHORTEST} to {LONGEST} steps, seed {options.seed}")
    seconds = train(model, 10 if options.quick else options.steps, options.device)

    with wg.no_grad():
        sequences, sums = make_batch(500, options.device)
        answers = model(sequences)
        error = nn.functional.mse_loss(answers, sums).item()
    for answer, total in zip(answers[:3].tolist(), sums[:3].tolist(), strict=True):
        print(f"sum {total:.3f}, answer {answer:.3f}")
    difference = check_gradient(model, options.device)
    print(f"mean squared error on 500 new sequences: {error:.4f}")
    print(f"gradient against central differences: max relative error {difference:.1e}")
    print(f"time per step: {1e3 * statistics.median(seconds):.1f} ms (median of {len(seconds)})")
    return 1 if difference > 1e-6 or (error > 0.01 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
