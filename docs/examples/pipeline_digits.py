"""Train a network to read handwritten digits whose layers are on several processes, as a pipeline.

    mpiexec -n 4 python pipeline_digits.py [--epochs 15] [--seed 0] [--quick] [--device cuda]
    python pipeline_digits.py

Each process has some of the four layers. A batch of 64 images is run as 8 micro-batches of 8, in the order 1F1B: while
one process computes a micro-batch, the next has the one before. The first process has the images, the last one the
labels. The same network is trained in one process as well; exit status 1 if the two differ, or if fewer than 95 % of
the held-out images are read correctly.
"""

import argparse
import sys

import digits
import wengert as wg

nn, dist = wg.nn, wg.distributed
HIDDEN, BATCH, MICRO_BATCHES, RATE = 64, 64, 8, 0.1
LAYERS = 4


def whole_model(seed):
    """The layers, the same on every process."""
    wg.manual_seed(seed)
    sizes = [64] + [HIDDEN] * (LAYERS - 1)
    hidden = [nn.Sequential(nn.Linear(size, HIDDEN), nn.Tanh()) for size in sizes[:-1]]
    return nn.Sequential(*hidden, nn.Linear(HIDDEN, 10)).double()


def own_layers(model):
    """The layers of this process."""
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return model[rank * LAYERS // ranks : (rank + 1) * LAYERS // ranks]


def batches(images, labels, epochs, seed):
    """Yield the images and labels of each step; batches that are not full are left out."""
    generator = wg.Generator().manual_seed(seed)
    for _ in range(epochs):
        for places in wg.randperm(len(images), generator=generator)[: len(images) // BATCH * BATCH].split(BATCH):
            yield images[places.to(images.device)], labels[places.to(images.device)]


def train_pipeline(model, images, labels, epochs, seed, device):
    """Train the layers of this process in place; the losses of steps, on the last one, and the schedule."""
    stage = dist.pipelining.PipelineStage(model, dist.get_rank(), dist.get_world_size(), device)
    schedule = dist.pipelining.Schedule1F1B(stage, MICRO_BATCHES, nn.CrossEntropyLoss())
    optimizer = wg.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    means = []
    for pixels, answers in batches(images, labels, epochs, seed):
        optimizer.zero_grad()
        losses = []
        args = (pixels,) if stage.is_first else ()
        schedule.step(*args, target=answers if stage.is_last else None, losses=losses, return_outputs=False)
        optimizer.step()
        means += [wg.stack(losses).mean().item()] if losses else []
    return means, schedule


def train_alone(model, images, labels, epochs, seed):
    """Train the whole network in this process; the losses of steps."""
    optimizer = wg.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    losses = []
    for pixels, answers in batches(images, labels, epochs, seed):
        loss = nn.functional.cross_entropy(model(pixels), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(epochs, seed, device="cpu", count=None):
    """Train both networks on some images; (losses of one process, losses of the last process, the schedule)."""
    images, labels = (part[:count].to(device) for part in digits.load()[:2])
    images = images.flatten(1).double()
    own = own_layers(whole_model(seed)).to(device)
    losses, schedule = train_pipeline(own, images, labels, epochs, seed, device)
    expected = train_alone(whole_model(seed).to(device), images, labels, epochs, seed) if losses else []
    return expected, losses, schedule


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="two epochs, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the model is: cpu, cuda, or another device's name")
    options = parser.parse_args()

    dist.init_process_group()
    expected, losses, schedule = compare(2 if options.quick else options.epochs, options.seed, options.device)
    images, labels = (part.to(options.device) for part in digits.load()[2:])
    count = len(images) // MICRO_BATCHES * MICRO_BATCHES
    args = (images[:count].flatten(1).double(),) if schedule.stage.is_first else ()
    scores = schedule.eval(*args)
    failed = False
    if schedule.stage.is_last:
        difference = max(abs(a - b) / a for a, b in zip(expected, losses, strict=True))
        correct = (scores.argmax(1) == labels[:count]).float().mean().item()
        print(f"{dist.get_world_size()} processes; loss {losses[0]:.4f} to {losses[-1]:.4f}")
        print(f"losses of steps against one process: max relative difference {difference:.1e}")
        print(f"test accuracy: {correct:.2%} of {count} held-out images")
        failed = difference > 1e-6 or (correct < 0.95 and not options.quick)
    verdict = wg.tensor([int(failed)], device=options.device)
    dist.all_reduce(verdict, op=dist.ReduceOp.MAX)
    dist.destroy_process_group()
    return verdict.item()


if __name__ == "__main__":
    sys.exit(main())
