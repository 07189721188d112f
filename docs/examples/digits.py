"""Train a small network to read handwritten digits, and check its gradient.

    python digits.py [--epochs 60] [--seed 0] [--out output] [--quick] [--device cuda]

Data: 1,797 real images of 8 x 8 grey levels (data/SOURCE.md). Every fifth image of each digit is held out; the network
never sees it in training. Exit status 1 if fewer than 97 % of them are read correctly, or if the gradient is wrong.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import wengert as wg

F = wg.nn.functional
DATA = Path(__file__).parent / "data" / "digits.npz"
HIDDEN, BATCH, RATE, MOMENTUM = 128, 64, 0.2, 0.9
SHIFTS = (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)  # rows and columns, by which training moves an image


def load():
    """Training and held-out images, float32[n, 8, 8] from 0 to 1, and their labels, int64[n]."""
    with np.load(DATA) as data:
        images, labels = data["images"].astype(np.float32) / 16, data["labels"].astype(np.int64)
    held_out = np.zeros(len(labels), bool)
    for digit in range(10):
        held_out[np.flatnonzero(labels == digit)[4::5]] = True
    return [wg.as_tensor(part) for part in (images[~held_out], labels[~held_out], images[held_out], labels[held_out])]


def shift_images(images):
    """More data from the same images: each of them moved by each of SHIFTS, float32[len(SHIFTS), n, 64]."""
    padded = wg.zeros(len(images), 10, 10)
    padded[:, 1:9, 1:9] = images
    return wg.stack([padded[:, 1 - r : 9 - r, 1 - c : 9 - c].flatten(1) for r, c in SHIFTS])


def new_parameters():
    """Weights and biases of the layers 64 -> HIDDEN -> 10."""
    scaled = [wg.randn(HIDDEN, 64) / 64**0.5, wg.zeros(HIDDEN), wg.randn(10, HIDDEN) / HIDDEN**0.5, wg.zeros(10)]
    return [p.requires_grad_() for p in scaled]


def network(parameters, pixels):
    """Scores of the ten digits, [n, 10]."""
    weight1, bias1, weight2, bias2 = parameters
    return F.linear(F.relu(F.linear(pixels, weight1, bias1)), weight2, bias2)


def train_step(parameters, velocities, pixels, labels, rate):
    """One step of stochastic gradient descent with momentum, in place; returns the loss."""
    loss = F.cross_entropy(network(parameters, pixels), labels)
    loss.backward()
    with wg.no_grad():
        for parameter, velocity in zip(parameters, velocities, strict=True):
            velocity.mul_(MOMENTUM).add_(parameter.grad)
            parameter.sub_(velocity, alpha=rate)
            parameter.grad = None
    return loss.item()


def train(images, labels, test_images, test_labels, epochs):
    """Parameters after training, (loss, held-out accuracy) of each epoch, seconds of each step."""
    parameters = new_parameters()
    velocities = [wg.zeros_like(p) for p in parameters]
    pixels = shift_images(images)
    history, seconds = [], []
    for epoch in progress(epochs, history):
        losses = []
        order = wg.randperm(len(labels))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            began = time.perf_counter()
            inputs = pixels[wg.randint(0, len(SHIFTS), (len(batch),)), batch]
            losses.append(train_step(parameters, velocities, inputs, labels[batch], RATE * (1 - epoch / epochs)))
            seconds.append(time.perf_counter() - began)
        right = read(parameters, test_images) == test_labels
        history.append((statistics.fmean(losses), right.float().mean().item()))
    return parameters, history, seconds


def read(parameters, images):
    """The digit seen in each image, int64[n]."""
    with wg.no_grad():
        return network(parameters, images.flatten(1)).argmax(1)


def progress(epochs, history):
    """Count the epochs and show how far training is: a bar in a terminal, else a line for each epoch."""
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    bar = tqdm(total=epochs, unit="epoch", file=sys.stdout) if tqdm and sys.stdout.isatty() else None
    for epoch in range(epochs):
        yield epoch
        loss, accuracy = history[-1]
        text = f"loss {loss:.4f}, accuracy {accuracy:6.2%}"
        if bar is not None:
            bar.set_postfix_str(text, refresh=False)
            bar.update()
        elif sys.stdout.isatty():
            done = 30 * (epoch + 1) // epochs
            print(f"\r[{'#' * done}{'.' * (30 - done)}] {epoch + 1}/{epochs}, {text}", end="", flush=True)
        else:
            print(f"epoch {epoch + 1:3}/{epochs}: {text}", flush=True)
    print(end="\n" if bar is None and sys.stdout.isatty() else "")
    if bar is not None:
        bar.close()


def gradient_error(parameters, loss, entries=20, step=1e-6):
    """Largest difference between backward's gradient and central differences, relative to the largest gradient.

    Parameters: float64, without gradients; `entries` randomly chosen entries of each are changed.   loss(): a number.
    """
    loss().backward()
    worst = 0.0
    with wg.no_grad():
        for parameter in parameters:
            flat, grad = parameter.view(-1), parameter.grad.view(-1)
            for i in wg.randperm(len(flat))[:entries].tolist():
                value = flat[i].item()
                flat[i] = value + step
                above = loss().item()
                flat[i] = value - step
                slope = (above - loss().item()) / (2 * step)
                flat[i] = value
                worst = max(worst, abs(slope - grad[i].item()) / grad.abs().max().item())
    return worst


def draw(out, history, images, labels, answers):
    """Write learning_curve.png and misread.png."""
    try:
        import matplotlib
    except ImportError:
        print("no pictures: matplotlib is not installed (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    out.mkdir(parents=True, exist_ok=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    epochs = range(1, len(history) + 1)
    left.semilogy(epochs, [loss for loss, _ in history])
    left.set(xlabel="epoch", ylabel="training loss")
    right.plot(epochs, [100 * accuracy for _, accuracy in history])
    right.axhline(97, color="grey", linestyle=":")
    right.set(xlabel="epoch", ylabel="held-out images read correctly, %")
    figure.savefig(out / "learning_curve.png", dpi=120)

    wrong = np.flatnonzero((answers != labels).cpu().numpy())[:12]
    figure, axes = plt.subplots(2, 6, figsize=(9, 3.5), layout="constrained")
    for axis in axes.flat:
        axis.axis("off")
    for axis, i in zip(axes.flat, wrong.tolist(), strict=False):
        axis.imshow(images[i].cpu().numpy(), cmap="gray_r")
        axis.set_title(f"{labels[i].item()} read as {answers[i].item()}", fontsize=9)
    figure.savefig(out / "misread.png", dpi=120)
    print(f"pictures: {out / 'learning_curve.png'}, {out / 'misread.png'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "output")
    parser.add_argument("--quick", action="store_true", help="3 epochs, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)

    wg.manual_seed(options.seed)
    images, labels, test_images, test_labels = load()
    print(f"{len(labels)} images to train with, {len(test_labels)} held out, seed {options.seed}")
    epochs = 3 if options.quick else options.epochs
    parameters, history, seconds = train(images, labels, test_images, test_labels, epochs)

    answers = read(parameters, test_images)
    accuracy = (answers == test_labels).float().mean().item()
    exact = [p.detach().double().requires_grad_() for p in new_parameters()]
    pixels = test_images[:32].flatten(1).double()
    error = gradient_error(exact, lambda: F.cross_entropy(network(exact, pixels), test_labels[:32]))
    print(f"test accuracy: {accuracy:.2%} of {len(test_labels)} held-out images")
    print(f"gradient against central differences: max relative error {error:.1e}")
    print(f"time per step: {1e6 * statistics.median(seconds):.0f} us (median of {len(seconds)}, batch {BATCH})")
    draw(options.out, history, test_images, test_labels, answers)
    return 1 if error > 1e-6 or (accuracy < 0.97 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
