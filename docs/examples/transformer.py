"""Train a small transformer on the pages of this documentation, letter by letter, and let it write.

    python transformer.py [--steps 500] [--seed 0] [--quick] [--device cuda]

The network reads 24 letters and says for each place which letter comes next; a causal mask hides what it has to guess.
Every tenth page is held out. Exit status 1 if the loss on it is not well below that of guessing by pairs of letters.
"""

import argparse
import math
import statistics
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import wengert as wg

nn = wg.nn
PAGES = Path(__file__).resolve().parents[1]
CONTEXT, WIDTH, HEADS, LAYERS, BATCH, RATE = 24, 48, 4, 2, 24, 1e-2


def read_pages():
    """The text of the pages to learn from, and that of the pages held out."""
    tables = ("reference", "benchmarks")
    pages = [path for path in sorted(PAGES.glob("*.md")) if not any(word in path.name for word in tables)]
    texts = [path.read_text(encoding="utf-8") for path in pages]
    return "".join(text for k, text in enumerate(texts) if k % 10), "".join(texts[::10])


class Writer(nn.Module):
    """Scores of the next letter after each place of a text, [batch, length, letters]."""

    def __init__(self, letters):
        super().__init__()
        self.letters = nn.Embedding(letters, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.scores = nn.Linear(WIDTH, letters)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(CONTEXT))

    def forward(self, numbers):
        length = numbers.shape[1]
        mask = self.mask[:length, :length]
        x = self.letters(numbers) + self.places.weight[:length]
        return self.scores(self.layers(x, mask, is_causal=True))


def loss_of(model, numbers, starts):
    """The mean loss for the texts that start at these places."""
    windows = numbers[starts.unsqueeze(1) + wg.arange(CONTEXT + 1, device=numbers.device)]
    scores = model(windows[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())


def train(model, numbers, steps):
    """The seconds of each step; prints the mean losses of tenths of the training."""
    optimizer = wg.optim.AdamW(model.parameters(), lr=RATE)
    schedule = wg.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    losses, seconds, tenth = [], [], max(1, steps // 10)
    for step in range(steps):
        began = time.perf_counter()
        loss = loss_of(model, numbers, wg.randint(0, len(numbers) - CONTEXT, (BATCH,), device=numbers.device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        seconds.append(time.perf_counter() - began)
        losses.append(loss.item())
        if (step + 1) % tenth == 0:
            print(f"step {step + 1:>4}/{steps}: loss {statistics.fmean(losses[-tenth:]):.3f}", flush=True)
    return seconds


def loss_of_pairs(text, other, letters):
    """The loss on another text of guessing each letter by the one before it, by counts of pairs in a text."""
    pairs, singles = Counter(pairwise(text)), Counter(text)
    chances = [(pairs[pair] + 1) / (singles[pair[0]] + letters) for pair in pairwise(other)]
    return -statistics.fmean(math.log(chance) for chance in chances)


def write(model, numbers, length):
    """Numbers of letters that continue some: each is drawn from the scores."""
    for _ in range(length):
        scores = model(numbers[-CONTEXT:].unsqueeze(0))[0, -1]
        numbers = wg.cat([numbers, wg.multinomial((scores / 0.7).softmax(0), 1)])
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="not used: the program writes nothing")
    parser.add_argument("--quick", action="store_true", help="ten steps, whose result is not checked")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()

    wg.manual_seed(options.seed)
    text, held_out = read_pages()
    alphabet = sorted({*text, *held_out})
    number = {letter: k for k, letter in enumerate(alphabet)}
    learned, tested = (
        wg.tensor([number[letter] for letter in part], device=options.device) for part in (text, held_out)
    )
    model = Writer(len(alphabet)).to(options.device)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{len(text)} letters to learn from, {len(held_out)} held out, {len(alphabet)} different ones")
    print(f"{count} parameters, seed {options.seed}")
    seconds = train(model, learned, 10 if options.quick else options.steps)

    model.eval()
    with wg.no_grad():
        starts = wg.arange(0, len(tested) - CONTEXT - 1, CONTEXT, device=options.device)
        loss = loss_of(model, tested, starts[:: 20 if options.quick else 1]).item()
        begin = wg.tensor([number[letter] for letter in "A tensor "], device=options.device)
        written = write(model, begin, 10 if options.quick else 150)
    pairs = loss_of_pairs(text, held_out, len(alphabet))
    print("it writes:", " ".join("".join(alphabet[k] for k in written.tolist()).split()))
    print(f"loss on pages held out: {loss:.3f}; by pairs of letters: {pairs:.3f}")
    print(f"time per step: {1e3 * statistics.median(seconds):.1f} ms (median of {len(seconds)})")
    return 1 if loss > pairs - 0.2 and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
