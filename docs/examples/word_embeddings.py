"""Learn vectors of the words of this documentation; each step changes the rows of the words that it used.

    python word_embeddings.py [--epochs 3] [--seed 0] [--quick] [--device cuda]

Skip-gram with negative samples: the vector of a word and those of the words around it get a large product, those of
random words a small one. Text: the pages of docs/, whose code is left out. The gradients of the two tables are sparse:
rows of the words of a batch. Exit status 1 if the loss does not fall, if another row has changed, or if a sparse
gradient is not the strided one.
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
SIZE, WINDOW, BATCH, NEGATIVE, RATE, RARE = 32, 4, 512, 5, 0.5, 4


def read_words():
    """The words of all pages, in lower case, one page after the other."""
    words = []
    for page in sorted([*PAGES.glob("*.md"), *PAGES.glob("decisions/*.md"), *PAGES.glob("errors/*.md")]):
        text = re.sub(r"```.*?```|`[^`]*`|\(http[^)]*\)", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        words += re.findall(r"[a-z]{2,}", text.lower())
    return words


def make_pairs(words):
    """The vocabulary, and int64[n, 2]: the number of each word that is not rare, and that of a word near it."""
    counts = Counter(words)
    vocabulary = [word for word, count in counts.most_common() if count >= RARE]
    number = {word: i for i, word in enumerate(vocabulary)}
    numbers = np.array([number[word] for word in words if word in number])
    shifted = [np.stack([numbers[:-k], numbers[k:]], 1) for k in range(1, WINDOW + 1)]
    pairs = np.concatenate([*shifted, *[each[:, ::-1] for each in shifted]])
    return vocabulary, wg.as_tensor(pairs)


def loss_of(tables, pairs, others, sparse=True):
    """The loss of telling words that stand near each other from random ones: pairs [n, 2], others [n, NEGATIVE]."""
    centers, contexts = tables
    word = F.embedding(pairs[:, 0], centers, sparse=sparse).unsqueeze(1)
    near = F.embedding(pairs[:, 1], contexts, sparse=sparse).unsqueeze(1)
    far = F.embedding(others, contexts, sparse=sparse)
    return -(F.logsigmoid((word * near).sum(2)).mean() + F.logsigmoid(-(word * far).sum(2)).sum(1).mean())


def update(table, sums):
    """One step of Adagrad on the rows that have a gradient; returns how many these are."""
    gradient = table.grad.coalesce()
    rows, values = gradient.indices()[0], gradient.values()
    sums.index_add_(0, rows, (values * values).mean(1))
    step = values * (-RATE / (sums.index_select(0, rows).sqrt() + 1e-8)).unsqueeze(1)
    with wg.no_grad():
        table.index_add_(0, rows, step)
    table.grad = None
    return len(rows)


def train(tables, pairs, count, epochs, steps):
    """Losses of the epochs, rows changed in each step, seconds of each step."""
    sums = [wg.zeros(count) for _ in tables]
    losses, changed, seconds = [], [], []
    for epoch in range(epochs):
        order = wg.randperm(len(pairs))[: steps * BATCH]
        found = []
        for start in range(0, len(order), BATCH):
            began = time.perf_counter()
            batch = pairs[order[start : start + BATCH]]
            loss = loss_of(tables, batch, wg.randint(0, count, (len(batch), NEGATIVE)))
            loss.backward()
            changed.append(sum(update(table, each) for table, each in zip(tables, sums, strict=True)))
            seconds.append(time.perf_counter() - began)
            found.append(loss.item())
        losses.append(statistics.fmean(found))
        print(f"epoch {epoch + 1}/{epochs}: loss {losses[-1]:.4f}", flush=True)
    return losses, changed, seconds


def check_gradient(tables, pairs, count):
    """The largest difference between the sparse gradients of a batch and the strided ones."""
    others = wg.randint(0, count, (len(pairs), NEGATIVE))
    found = []
    for sparse in (True, False):
        copies = [table.detach().clone().requires_grad_() for table in tables]
        loss_of(copies, pairs, others, sparse).backward()
        found.append([copy.grad.to_dense() if sparse else copy.grad for copy in copies])
    return max((one - other).abs().max().item() for one, other in zip(*found, strict=True))


def count_other_rows(tables, pairs, count):
    """The number of rows that a step changes beside those of the words in its batch."""
    before = [table.detach().clone() for table in tables]
    others = wg.randint(0, count, (len(pairs), NEGATIVE))
    loss_of(tables, pairs, others).backward()
    for table in tables:
        update(table, wg.zeros(count))
    used = {*pairs.flatten().tolist(), *others.flatten().tolist()}
    moved = [
        (table.detach() != old).any(1).nonzero().flatten().tolist() for table, old in zip(tables, before, strict=True)
    ]
    return len({row for rows in moved for row in rows} - used)


def nearest(table, vocabulary, word, n=4):
    """The words whose vectors have the smallest angles with a word's."""
    vectors = F.normalize(table.detach(), dim=1)
    order = (vectors @ vectors[vocabulary.index(word)]).argsort(descending=True).tolist()
    return [vocabulary[i] for i in order[1 : n + 1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="not used: the program writes nothing")
    parser.add_argument("--quick", action="store_true", help="two epochs of 20 steps")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)

    wg.manual_seed(options.seed)
    words = read_words()
    vocabulary, pairs = make_pairs(words)
    pairs, count = pairs.to(options.device), len(vocabulary)
    print(f"{len(words)} words of text, {count} in the vocabulary, {len(pairs)} pairs, seed {options.seed}")
    tables = [((wg.rand(count, SIZE) - 0.5) / SIZE).requires_grad_() for _ in range(2)]
    epochs, steps = (2, 20) if options.quick else (options.epochs, len(pairs) // BATCH)
    losses, changed, seconds = train(tables, pairs, count, epochs, steps)

    difference = check_gradient(tables, pairs[:BATCH], count)
    other_rows = count_other_rows(tables, pairs[:8], count)
    for word in ("gradient", "tensor", "error"):
        print(f"near {word}: {', '.join(nearest(tables[0], vocabulary, word))}")
    print(f"rows changed in a step: {statistics.median(changed):.0f} of {2 * count}")
    print(f"rows changed beside those of a batch: {other_rows}")
    print(f"sparse gradient against strided: max difference {difference:.1e}")
    print(f"time per step: {1e6 * statistics.median(seconds):.0f} us (median of {len(seconds)}, batch {BATCH})")
    return 1 if losses[-1] >= losses[0] or other_rows or difference > 1e-6 else 0


if __name__ == "__main__":
    sys.exit(main())
