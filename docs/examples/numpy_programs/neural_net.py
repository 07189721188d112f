"""Train a network of two layers to read handwritten digits.

    python neural_net.py [epochs]

Data: 1,797 images of 8 x 8 grey levels (data/SOURCE.md), every fifth of which is held out.
"""

import sys
from pathlib import Path

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

DATA = Path(__file__).resolve().parents[1] / "data" / "digits.npz"
BATCH = 128


def load_digits():
    """Return images, one row each, and labels as rows with a one; those for training, then those held out."""
    with np.load(DATA) as data:
        images, labels = data["images"].reshape(-1, 64) / 16.0, np.eye(10)[data["labels"]]
    held_out = np.arange(len(labels)) % 5 == 4
    return images[~held_out], labels[~held_out], images[held_out], labels[held_out]


def log_probabilities(parameters, inputs):
    """Return the logarithm of each digit's probability, for each image."""
    for layer, (weights, biases) in enumerate(parameters):
        inputs = np.dot(inputs if layer == 0 else np.tanh(inputs), weights) + biases
    return inputs - np.logaddexp.reduce(inputs, axis=1)[:, None]


def accuracy(parameters, images, labels):
    """Return the share of images that are read correctly."""
    return np.mean(np.argmax(log_probabilities(parameters, images), axis=1) == np.argmax(labels, axis=1))


def main(epochs=10):
    rng = np.random.default_rng(0)
    images, labels, test_images, test_labels = load_digits()
    batches = len(images) // BATCH

    def loss(parameters, step=0):
        rows = slice(step % batches * BATCH, (step % batches + 1) * BATCH)
        return -np.mean(np.sum(log_probabilities(parameters, images[rows]) * labels[rows], axis=1))

    start = [(rng.normal(size=(64, 64)) / 8.0, np.zeros(64)), (rng.normal(size=(64, 10)) / 8.0, np.zeros(10))]
    parameters = adam(grad(loss), start, num_iters=epochs * batches, step_size=0.005)
    right = accuracy(parameters, test_images, test_labels)
    print(f"loss {loss(start):.4f} at first, {loss(parameters):.4f} at last; accuracy {right:.1%} of held-out digits")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
