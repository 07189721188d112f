"""Compress handwritten digits to four numbers each, with a variational autoencoder.

    python variational_autoencoder.py [steps]

The samples between encoder and decoder are differentiable in mean and deviation.
"""

import sys
from itertools import pairwise

import wengert.numpy as np
from neural_net import load_digits
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

LATENT, HIDDEN, BATCH = 4, 64, 128


def new_layers(rng, *sizes):
    """Return the weights and biases of each layer."""
    return [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in pairwise(sizes)]


def network(layers, inputs):
    """Return the outputs of a network."""
    for weights, biases in layers[:-1]:
        inputs = np.tanh(np.dot(inputs, weights) + biases)
    weights, biases = layers[-1]
    return np.dot(inputs, weights) + biases


def negative_bound(parameters, images, rng):
    """Return an estimate of minus the lower bound of the images' log probability, in nats an image."""
    encoded = network(parameters["encoder"], images)
    mean, log_deviation = encoded[:, :LATENT], encoded[:, LATENT:]
    sample = mean + np.exp(log_deviation) * rng.normal(size=mean.shape)
    scores = network(parameters["decoder"], sample)
    reconstruction = np.sum(images * scores - np.logaddexp(0.0, scores), axis=1)
    divergence = 0.5 * np.sum(mean**2 + np.exp(2.0 * log_deviation) - 1.0 - 2.0 * log_deviation, axis=1)
    return np.mean(divergence - reconstruction)


def main(steps=300):
    rng = np.random.default_rng(0)
    images, _, test_images, _ = load_digits()
    start = {"encoder": new_layers(rng, 64, HIDDEN, 2 * LATENT), "decoder": new_layers(rng, LATENT, HIDDEN, 64)}
    gradient = grad(negative_bound)

    def batch_gradient(parameters, step):
        return gradient(parameters, images[rng.integers(len(images), size=BATCH)], rng)

    parameters = adam(batch_gradient, start, num_iters=steps, step_size=0.01)
    first, last = (negative_bound(p, test_images, rng) for p in (start, parameters))
    print(f"loss {first:.4f} at first, {last:.4f} at last, of held-out images")
    picture = np.exp(-np.logaddexp(0.0, -network(parameters["decoder"], rng.normal(size=(1, LATENT)))))
    for row in picture.reshape(8, 8):
        print("".join(" .:*#"[int(4.99 * grey)] for grey in row).rstrip())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
