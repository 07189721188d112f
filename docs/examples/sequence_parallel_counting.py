"""Train attention over sequences that are divided among processes.

    mpiexec -n 4 python sequence_parallel_counting.py [--steps 300] [--seed 0] [--quick] [--device cuda]
    python sequence_parallel_counting.py

The model reads random words and has to say at each place how often the first word has occurred so far. No process sees
a whole sequence: each has a part of the places. For attention they exchange places for heads (arXiv:2309.14509), the
rest is computed place by place. The weights are the same on all processes; their gradients are added up. The same model
is trained in one process as well; exit status 1 if the two differ, or if fewer than 90 % of the answers are right.
"""

import argparse
import sys

import wengert as wg

nn, dist = wg.nn, wg.distributed
WORDS, LENGTH, WIDTH, HEADS, BATCH, RATE = 5, 16, 32, 4, 32, 1e-2


def sequences(count, generator):
    """Words and answers, int64[count, LENGTH]: how often the first word occurs up to each place."""
    words = wg.randint(0, WORDS, (count, LENGTH), generator=generator)
    return words, (words == words[:, :1]).cumsum(1)


class Block(nn.Module):
    """Attention and a network of one hidden layer. attention: a function of query, key and value."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.projections = nn.Linear(WIDTH, 3 * WIDTH)
        self.join = nn.Linear(WIDTH, WIDTH)
        self.network = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])

    def forward(self, x):
        heads = self.projections(self.norms[0](x)).unflatten(-1, (3, HEADS, WIDTH // HEADS))
        query, key, value = (part.transpose(1, 2) for part in heads.unbind(2))
        x = x + self.join(self.attention(query, key, value, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.network(self.norms[1](x))


class Model(nn.Module):
    """Scores of the counts for each place, [batch, places, LENGTH + 1], from words and the numbers of their places."""

    def __init__(self, attention):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(Block(attention), Block(attention), nn.LayerNorm(WIDTH))
        self.scores = nn.Linear(WIDTH, LENGTH + 1)

    def forward(self, words, places):
        return self.scores(self.blocks(self.words(words) + self.places(places)))


def train(attention, steps, seed, own, device):
    """Train a model on the places ``own``; the model, and the mean loss of each step over all places."""
    shared = len(own) < LENGTH
    wg.manual_seed(seed)
    model = Model(attention).double().to(device)
    optimizer = wg.optim.Adam(model.parameters(), lr=RATE)
    generator, losses = wg.Generator().manual_seed(seed), []
    for _ in range(steps):
        words, answers = (part.to(device) for part in sequences(BATCH, generator))
        scores = model(words[:, own], own).flatten(0, 1)
        loss = nn.functional.cross_entropy(scores, answers[:, own].flatten(), reduction="sum") / answers.numel()
        optimizer.zero_grad()
        loss.backward()
        total = loss.detach().clone()
        if shared:
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
            dist.all_reduce(total)
        optimizer.step()
        losses.append(total.item())
    return model, losses


def compare(steps, seed, device="cpu"):
    """Train both models; (losses of one process, losses of all, the model, the places of this process)."""
    places = wg.arange(LENGTH, device=device)
    _, expected = train(nn.functional.scaled_dot_product_attention, steps, seed, places, device)
    own = places.chunk(dist.get_world_size())[dist.get_rank()]
    model, losses = train(dist.tensor_parallel.sequence_parallel_attention, steps, seed, own, device)
    return expected, losses, model, own


def accuracy(model, own, seed, device):
    """The part of right answers to new sequences, of all processes."""
    words, answers = (part.to(device) for part in sequences(256, wg.Generator().manual_seed(seed + 1)))
    with wg.no_grad():
        right = (model(words[:, own], own).argmax(-1) == answers[:, own]).sum()
    dist.all_reduce(right)
    return right.item() / answers.numel()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="five steps, and no demand on the answers")
    parser.add_argument("--device", default="cpu", help="where the model is: cpu, cuda, or another device's name")
    options = parser.parse_args()

    dist.init_process_group()
    expected, losses, model, own = compare(5 if options.quick else options.steps, options.seed, options.device)
    difference = max(abs(a - b) / a for a, b in zip(expected, losses, strict=True))
    right = accuracy(model, own, options.seed, options.device)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes, {len(own)} of {LENGTH} places each")
        print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}")
        print(f"losses of steps against one process: max relative difference {difference:.1e}")
        print(f"right answers for new sequences: {right:.1%}")
    dist.destroy_process_group()
    return 1 if difference > 1e-6 or (right < 0.9 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
