"""Learn to sample a distribution by a game of two networks: one makes samples, one tells them from real ones.

    python generative_adversarial_net.py [steps]

Each step takes two gradients, by the parameters of one network while those of the other one are constants.
"""

import sys

import wengert.numpy as np
from variational_autoencoder import network, new_layers
from wengert.numpy import grad
from wengert.numpy.misc.flatten import flatten

BATCH, RATE = 128, 0.02


def real_samples(rng):
    """Return normal numbers around 3, as a column."""
    return 3.0 + 0.5 * rng.normal(size=(BATCH, 1))


def generate(generator, rng):
    """Return samples that a network makes of normal numbers."""
    return network(generator, rng.normal(size=(BATCH, 2)))


def discriminator_loss(discriminator, real, made):
    """Return the mean cross entropy of telling the two kinds apart."""
    return np.mean(np.logaddexp(0.0, -network(discriminator, real)) + np.logaddexp(0.0, network(discriminator, made)))


def generator_loss(generator, discriminator, rng):
    """Return the mean cross entropy of the made samples, if they were real."""
    return np.mean(np.logaddexp(0.0, -network(discriminator, generate(generator, rng))))


def rmsprop_step(parameters, gradient, mean_square):
    """Return parameters after a step of RMSProp, and the running mean of squared gradients."""
    vector, unflatten = flatten(parameters)
    slope, _ = flatten(gradient)
    mean_square = 0.9 * mean_square + 0.1 * slope**2
    return unflatten(vector - 0.1 * RATE * slope / np.sqrt(mean_square + 1e-8)), mean_square


def main(steps=1000):
    rng = np.random.default_rng(0)
    generator, discriminator = new_layers(rng, 2, 16, 1), new_layers(rng, 1, 16, 1)
    squares = [1.0, 1.0]
    first = abs(np.mean(generate(generator, rng)) - 3.0)
    for _ in range(steps):
        slope = grad(discriminator_loss)(discriminator, real_samples(rng), generate(generator, rng))
        discriminator, squares[0] = rmsprop_step(discriminator, slope, squares[0])
        slope = grad(generator_loss)(generator, discriminator, rng)
        generator, squares[1] = rmsprop_step(generator, slope, squares[1])
    made = np.concatenate([generate(generator, rng) for _ in range(20)])
    print(f"distance of the means: loss {first:.4f} at first, {abs(np.mean(made) - 3.0):.4f} at last")
    print(f"mean {np.mean(made):.2f} (3.0), deviation {np.std(made):.2f} (0.5)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
