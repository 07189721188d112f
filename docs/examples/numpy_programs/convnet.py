"""Train a convolutional network to read handwritten digits.

    python convnet.py [steps]

A convolution is a sum over the offsets of its kernel, a maximum over neighbors a maximum over two axes of a reshaped
array: both are NumPy's functions, and have derivatives.
"""

import sys

import wengert.numpy as np
from neural_net import load_digits
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

BATCH = 64


def convolve(images, kernels):
    """Return the valid part of a convolution of images [n, channels, 8, 8] with kernels [new, channels, 3, 3]."""
    size = images.shape[-1] - kernels.shape[-1] + 1
    offsets = np.ndindex(*kernels.shape[2:])
    windows = np.stack([images[:, :, i : i + size, j : j + size] for i, j in offsets], axis=2)
    return np.einsum("nckhw,fck->nfhw", windows, kernels.reshape(*kernels.shape[:2], -1))


def max_pool(images):
    """Return the maxima of squares of 2 x 2."""
    n, channels, height, width = images.shape
    return np.max(np.max(images.reshape(n, channels, height // 2, 2, width // 2, 2), axis=5), axis=3)


def log_probabilities(parameters, images):
    """Return the logarithm of each digit's probability, for each image."""
    kernels, offsets, weights, biases = parameters
    features = max_pool(np.maximum(convolve(images, kernels) + offsets[:, None, None], 0.0))
    scores = np.dot(features.reshape(len(images), -1), weights) + biases
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


def main(steps=60):
    rng = np.random.default_rng(0)
    images, labels, test_images, test_labels = load_digits()
    images, test_images = images.reshape(-1, 1, 8, 8), test_images.reshape(-1, 1, 8, 8)
    batches = len(images) // BATCH

    def loss(parameters, step=0):
        rows = slice(step % batches * BATCH, (step % batches + 1) * BATCH)
        return -np.mean(np.sum(log_probabilities(parameters, images[rows]) * labels[rows], axis=1))

    start = [rng.normal(size=(12, 1, 3, 3)) / 3.0, np.zeros(12), rng.normal(size=(108, 10)) / 10.0, np.zeros(10)]
    parameters = adam(grad(loss), start, num_iters=steps, step_size=0.01)
    answers = np.argmax(log_probabilities(parameters, test_images), axis=1)
    right = np.mean(answers == np.argmax(test_labels, axis=1))
    print(f"loss {loss(start):.4f} at first, {loss(parameters):.4f} at last; accuracy {right:.1%} of held-out digits")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
