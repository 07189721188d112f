"""Train the network of digits_modules.py on several processes, which average their gradients.

    mpiexec -n 4 python data_parallel_digits.py [--epochs 20] [--seed 0] [--quick] [--device cuda]
    python data_parallel_digits.py

Each process reads its share of every batch of 64 images. Exit status 1 if fewer than 97 % of the held-out images are
read correctly, if the averaged gradient is not that of the whole batch, or if the processes end with other weights.
"""

import argparse
import statistics
import sys
import time

import digits
import wengert as wg
from digits_modules import Reader, accuracy, read

nn, data, dist = wg.nn, wg.utils.data, wg.distributed
BATCH, RATE = 64, 0.01


def loader_of_share(dataset):
    """A loader of this process's share of the images, in an order that is common to all, and its sampler."""
    ranks = dist.get_world_size()
    sampler = data.DistributedSampler(dataset, ranks, dist.get_rank(), drop_last=True)
    return data.DataLoader(dataset, batch_size=BATCH // ranks, sampler=sampler), sampler


def train_epoch(model, optimizer, loader, device):
    """The mean loss of one pass over this process's share, and the seconds of each step."""
    loss_function = nn.CrossEntropyLoss()
    losses, seconds = [], []
    model.train()
    for images, labels in loader:
        began = time.perf_counter()
        loss = loss_function(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - began)
    return statistics.fmean(losses), seconds


def train(model, loader, sampler, epochs, device):
    """The seconds of each step; the first process prints the loss of each epoch."""
    optimizer = wg.optim.Adam(model.parameters(), lr=RATE)
    scheduler = wg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    seconds = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        loss, times = train_epoch(model, optimizer, loader, device)
        scheduler.step()
        seconds += times
        total = wg.tensor([loss], device=device)
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1:3}/{epochs}: loss {total.item():.4f}")
    return seconds


def gradient_error(images, labels, device):
    """The largest difference between the averaged gradient and that of the whole batch, in float64."""
    alone = Reader().double().eval().to(device)
    model = nn.parallel.DistributedDataParallel(alone)
    images, labels = images.double().to(device), labels.to(device)
    expected = wg.autograd.grad(nn.functional.cross_entropy(alone(images), labels), list(alone.parameters()))
    shares = images.chunk(dist.get_world_size()), labels.chunk(dist.get_world_size())
    own_images, own_labels = (share[dist.get_rank()] for share in shares)
    nn.functional.cross_entropy(model(own_images), own_labels).backward()
    differences = [(p.grad - g).abs().max().item() for p, g in zip(alone.parameters(), expected, strict=True)]
    return max(differences) / max(g.abs().max().item() for g in expected)


def same_everywhere(model, device):
    """Whether all processes have the same weights, bit by bit."""
    weights = wg.cat([parameter.detach().flatten() for parameter in model.parameters()])
    largest = weights.clone()
    dist.all_reduce(largest, op=dist.ReduceOp.MAX)
    differs = wg.tensor([int(not weights.equal(largest))], device=device)
    dist.all_reduce(differs, op=dist.ReduceOp.MAX)
    return differs.item() == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="one epoch, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the model is: cpu, cuda, or another device's name")
    options = parser.parse_args()

    dist.init_process_group()
    wg.manual_seed(options.seed + dist.get_rank())  # other dropout on each process
    images, labels, test_images, test_labels = digits.load()
    shifted = data.TensorDataset(digits.shift_images(images).flatten(0, 1), labels.repeat(len(digits.SHIFTS)))
    loader, sampler = loader_of_share(shifted)
    model = nn.parallel.DistributedDataParallel(Reader().to(options.device))
    seconds = train(model, loader, sampler, 1 if options.quick else options.epochs, options.device)

    test_loader = data.DataLoader(data.TensorDataset(test_images, test_labels), batch_size=BATCH)
    correct = accuracy(read(model.module, test_loader, options.device), test_labels)
    error = gradient_error(test_images[:64], test_labels[:64], options.device)
    same = same_everywhere(model, options.device)
    if dist.get_rank() == 0:
        print(f"test accuracy: {correct:.2%} of {len(test_labels)} held-out images, {dist.get_world_size()} processes")
        print(f"averaged gradient against that of the whole batch: max relative error {error:.1e}")
        print(f"weights of all processes equal: {'yes' if same else 'no'}")
        print(f"time per step: {1e6 * statistics.median(seconds):.0f} us (median of {len(seconds)}, batch {BATCH})")
    dist.destroy_process_group()
    return 1 if (correct < 0.97 and not options.quick) or error > 1e-12 or not same else 0


if __name__ == "__main__":
    sys.exit(main())
