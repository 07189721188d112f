"""Train the network of digits.py with modules, an optimizer and data loaders, save it, and load it into another one.

    python digits_modules.py [--epochs 20] [--seed 0] [--out output/digits_modules] [--quick] [--device cuda]

The data, the pictures and the check of the gradient are those of digits.py, in the same folder. Exit status 1 if fewer
than 97 % of the held-out images are read correctly, if the gradient is wrong, or if the network that was loaded reads
the images in another way than the one that was saved.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import digits
import wengert as wg

nn, data = wg.nn, wg.utils.data
BATCH, RATE, DROPOUT = 64, 0.01, 0.2


class Reader(nn.Module):
    """Scores of the ten digits, [n, 10], for images [n, 8, 8] or [n, 64]."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(64, digits.HIDDEN),
            nn.ReLU(),
            nn.Dropout(DROPOUT),
            nn.Linear(digits.HIDDEN, 10),
        )

    def forward(self, images):
        return self.layers(images)


def train_epoch(model, optimizer, loader, device):
    """The mean loss of one pass over the images, and the seconds of each step."""
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


def train(model, loader, test_loader, test_labels, epochs, device):
    """(Loss, held-out accuracy) of each epoch, and the seconds of each step."""
    optimizer = wg.optim.Adam(model.parameters(), lr=RATE)
    scheduler = wg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    history, seconds = [], []
    for _ in digits.progress(epochs, history):
        loss, times = train_epoch(model, optimizer, loader, device)
        scheduler.step()
        seconds += times
        history.append((loss, accuracy(read(model, test_loader, device), test_labels)))
    return history, seconds


def read(model, loader, device):
    """The digit seen in each image, int64[n], on the CPU."""
    model.eval()
    with wg.no_grad():
        return wg.cat([model(images.to(device)).argmax(1).cpu() for images, _ in loader])


def accuracy(answers, labels):
    return (answers == labels).float().mean().item()


def gradient_error(images, labels, device):
    """The error of a new model's gradient in float64, as digits.py measures it."""
    model = Reader().double().eval().to(device)
    images, labels = images.double().to(device), labels.to(device)
    return digits.gradient_error(model.parameters(), lambda: nn.functional.cross_entropy(model(images), labels))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "output" / "digits_modules")
    parser.add_argument("--quick", action="store_true", help="one epoch, and no demand on the accuracy")
    parser.add_argument("--device", default="cpu", help="where the model is: cpu, cuda, or another device's name")
    options = parser.parse_args()

    wg.manual_seed(options.seed)
    images, labels, test_images, test_labels = digits.load()
    shifted = data.TensorDataset(digits.shift_images(images).flatten(0, 1), labels.repeat(len(digits.SHIFTS)))
    loader = data.DataLoader(shifted, batch_size=BATCH, shuffle=True)
    test_loader = data.DataLoader(data.TensorDataset(test_images, test_labels), batch_size=BATCH)
    print(f"{len(shifted)} images to train with, {len(test_labels)} held out, seed {options.seed}")
    model = Reader().to(options.device)
    epochs = 1 if options.quick else options.epochs
    history, seconds = train(model, loader, test_loader, test_labels, epochs, options.device)

    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "digits.pt"
    wg.save(model.state_dict(), file)
    restored = Reader().to(options.device)
    restored.load_state_dict(wg.load(file))
    answers = read(model, test_loader, options.device)
    same = wg.equal(read(restored, test_loader, options.device), answers)
    error = gradient_error(test_images[:32], test_labels[:32], options.device)
    print(f"test accuracy: {accuracy(answers, test_labels):.2%} of {len(test_labels)} held-out images")
    print(f"weights: {file}; answers of the network that has loaded them equal: {'yes' if same else 'no'}")
    print(f"gradient against central differences: max relative error {error:.1e}")
    print(f"time per step: {1e6 * statistics.median(seconds):.0f} us (median of {len(seconds)}, batch {BATCH})")
    digits.draw(options.out, history, test_images, test_labels, answers)
    unread = accuracy(answers, test_labels) < 0.97 and not options.quick
    return 1 if unread or error > 1e-6 or not same else 0


if __name__ == "__main__":
    sys.exit(main())
