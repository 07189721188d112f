"""Train a network to read handwritten digits whose two matrices are divided among processes.

    mpiexec -n 4 python tensor_parallel_digits.py [--epochs 15] [--seed 0] [--quick] [--device cuda]
    python tensor_parallel_digits.py

The first layer is divided by its outputs and the second by its inputs, so that a step exchanges one sum of the scores
forward and nothing backward (arXiv:1909.08053, section 3). All processes see all images. The same network is trained in
one process as well; exit status 1 if the two differ, or if fewer than 95 % of the held-out images are read correctly.
"""

import argparse
import sys

import digits
import wengert as wg

nn, dist = wg.nn, wg.distributed
HIDDEN, BATCH, RATE = 128, 64, 0.1


def parallel_network(layers):
    """The network of two Linears, divided among the processes."""
    parallel = dist.tensor_parallel
    first, activation, second = layers
    return nn.Sequential(
        parallel.ColumnParallelLinear.from_linear(first, gather_output=False),
        activation,
        parallel.RowParallelLinear.from_linear(second, input_is_parallel=True),
    )


def train(model, images, labels, epochs, seed):
    """Train in place; the loss of each step. All processes draw the same batches."""
    optimizer = wg.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    generator = wg.Generator().manual_seed(seed)
    losses = []
    for _ in range(epochs):
        for places in wg.randperm(len(images), generator=generator).split(BATCH):
            places = places.to(images.device)
            loss = nn.functional.cross_entropy(model(images[places]), labels[places])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def compare(epochs, seed, device="cpu", count=None):
    """Train both networks on some images; (losses of one process, losses of all, the divided network)."""
    wg.manual_seed(seed)
    whole = nn.Sequential(nn.Linear(64, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10)).double().to(device)
    model = parallel_network(whole)
    images, labels = (part[:count].to(device) for part in digits.load()[:2])
    images = images.flatten(1).double()
    return train(whole, images, labels, epochs, seed), train(model, images, labels, epochs, seed), model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="two epochs, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the model is: cpu, cuda, or another device's name")
    options = parser.parse_args()

    dist.init_process_group()
    expected, losses, model = compare(2 if options.quick else options.epochs, options.seed, options.device)
    difference = max(abs(a - b) / a for a, b in zip(expected, losses, strict=True))
    images, labels = (part.to(options.device) for part in digits.load()[2:])
    with wg.no_grad():
        correct = (model(images.flatten(1).double()).argmax(1) == labels).float().mean().item()
    if dist.get_rank() == 0:
        own = sum(parameter.numel() for parameter in model.parameters())
        print(f"{dist.get_world_size()} processes, {own} parameters each; loss {losses[0]:.4f} to {losses[-1]:.4f}")
        print(f"losses of steps against one process: max relative difference {difference:.1e}")
        print(f"test accuracy: {correct:.2%} of {len(labels)} held-out images")
    dist.destroy_process_group()
    return 1 if difference > 1e-6 or (correct < 0.95 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
