"""Fit a linear model to sparse data: which pages of this documentation a paragraph stands in, by its words.

    python sparse_model.py [--steps 200] [--seed 0] [--quick] [--device cuda]

A paragraph is a row of counts of words, of which few are not zero: a matrix of layout sparse_csr. Logistic regression
tells the pages on decisions from those on errors. Every fifth paragraph is held out. Exit status 1 if fewer than 80 %
of these are told apart, or if the gradient is wrong.
"""

import argparse
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import wengert as wg

F = wg.nn.functional
PAGES = Path(__file__).resolve().parents[1]
RATE, DECAY = 0.5, 1e-3


def read_paragraphs():
    """(words, 1 for a page on decisions, 0 for one on errors) of each paragraph of at least eight words."""
    found = []
    for label, folder in enumerate(("errors", "decisions")):
        for page in sorted((PAGES / folder).glob("*.md")):
            text = re.sub(r"```.*?```", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for paragraph in text.split("\n\n"):
                words = re.findall(r"[a-z]{2,}", paragraph.lower())
                found += [(words, label)] if len(words) >= 8 else []
    return found


def make_matrix(paragraphs, number, dtype):
    """The square roots of the counts of words as a matrix of layout sparse_csr, [paragraphs, words], and the labels."""
    indices, values = [], []
    for row, (words, _) in enumerate(paragraphs):
        for word, count in Counter(word for word in words if word in number).items():
            indices.append((row, number[word]))
            values.append(count**0.5)
    shape = (len(paragraphs), len(number))
    coo = wg.sparse_coo_tensor(wg.as_tensor(np.array(indices).T.copy()), wg.tensor(values, dtype=dtype), shape)
    return coo.to_sparse_csr(), wg.tensor([label for _, label in paragraphs], dtype=dtype)


def loss_of(x, labels, weight, bias):
    """Mean of the logistic losses, and a little of the weights' squares."""
    scores = wg.sparse.mm(x, weight).squeeze(1) + bias
    return F.binary_cross_entropy_with_logits(scores, labels) + DECAY * (weight * weight).sum()


def train(x, labels, steps):
    """Weights and bias by gradient descent with momentum; the losses, and the seconds of each step."""
    weight = wg.zeros(x.shape[1], 1, dtype=x.dtype, requires_grad=True)
    bias = wg.zeros(1, dtype=x.dtype, requires_grad=True)
    velocities, losses, seconds = [wg.zeros_like(weight), wg.zeros_like(bias)], [], []
    for _ in range(steps):
        began = time.perf_counter()
        loss = loss_of(x, labels, weight, bias)
        loss.backward()
        with wg.no_grad():
            for parameter, velocity in zip((weight, bias), velocities, strict=True):
                velocity.mul_(0.9).add_(parameter.grad)
                parameter.sub_(velocity, alpha=RATE)
                parameter.grad = None
        losses.append(loss.item())
        seconds.append(time.perf_counter() - began)
    return weight, bias, losses, seconds


def gradient_error(x, labels, step=1e-6, entries=10):
    """The largest difference between backward's gradient and central differences, relative to the largest gradient."""
    weight = wg.randn(x.shape[1], 1, dtype=x.dtype).mul_(0.1).requires_grad_()
    bias = wg.zeros(1, dtype=x.dtype, requires_grad=True)
    loss_of(x, labels, weight, bias).backward()
    worst, largest = 0.0, weight.grad.abs().max().item()
    with wg.no_grad():
        for i in range(entries):
            value = weight[i, 0].item()
            weight[i, 0] = value + step
            above = loss_of(x, labels, weight, bias).item()
            weight[i, 0] = value - step
            slope = (above - loss_of(x, labels, weight, bias).item()) / (2 * step)
            weight[i, 0] = value
            worst = max(worst, abs(slope - weight.grad[i, 0].item()) / largest)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="not used: the program writes nothing")
    parser.add_argument("--quick", action="store_true", help="20 steps, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)

    wg.manual_seed(options.seed)
    paragraphs = read_paragraphs()
    held_out = paragraphs[4::5]
    kept = [paragraph for i, paragraph in enumerate(paragraphs) if i % 5 != 4]
    counts = Counter(word for words, _ in kept for word in set(words))
    number = {word: i for i, word in enumerate(sorted(word for word, count in counts.items() if count > 1))}
    x, labels = make_matrix(kept, number, wg.float64)
    test, test_labels = make_matrix(held_out, number, wg.float64)
    print(f"{x.shape[0]} paragraphs to train with, {test.shape[0]} held out, {x.shape[1]} words, "
          f"{x._nnz() / x.numel():.1%} of the elements not zero")  # fmt: skip
    weight, bias, losses, seconds = train(x, labels, 20 if options.quick else options.steps)

    with wg.no_grad():
        right = (wg.sparse.mm(test, weight).squeeze(1) + bias > 0) == (test_labels > 0)
    accuracy, error = right.double().mean().item(), gradient_error(x, labels)
    order = weight.detach().squeeze(1).argsort().tolist()
    words = list(number)
    print(f"loss {losses[0]:.4f} at first, {losses[-1]:.4f} at last")
    print(f"words of errors: {', '.join(words[i] for i in order[:6])}")
    print(f"words of decisions: {', '.join(words[i] for i in order[-6:])}")
    print(f"test accuracy: {accuracy:.2%} of {test.shape[0]} held-out paragraphs")
    print(f"gradient against central differences: max relative error {error:.1e}")
    print(f"time per step: {1e6 * statistics.median(seconds):.0f} us (median of {len(seconds)})")
    return 1 if error > 1e-6 or losses[-1] >= losses[0] or (accuracy < 0.8 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
