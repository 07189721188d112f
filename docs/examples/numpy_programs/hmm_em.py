"""Fit a hidden Markov model to letters by expectation maximization.

    python hmm_em.py [iterations]

The expected counts of the first step are the gradient of the log likelihood by the logarithms of the probabilities; so
the second step normalizes gradients.
"""

import sys

import wengert.numpy as np
from wengert.numpy import value_and_grad

TEXT = "the quick brown fox jumps over the lazy dog while a hidden state tells vowels from consonants in what is read "
STATES = 2


def log_likelihood(parameters, letters):
    """Return the log probability of a sequence of letters, by the forward recursion.

    parameters: logarithms of the probabilities of first states, of transitions and of letters in each state.
    """
    initial, transition, emission = parameters
    forward = initial + emission[:, letters[0]]
    for letter in letters[1:]:
        forward = np.logaddexp.reduce(forward[:, None] + transition, axis=0) + emission[:, letter]
    return np.logaddexp.reduce(forward)


def normalize(counts):
    """Return the logarithms of counts over their sums along the last axis."""
    return np.log(counts + 1e-12) - np.log(np.sum(counts + 1e-12, axis=-1, keepdims=True))


def main(iterations=25):
    rng = np.random.default_rng(3)
    alphabet = sorted(set(TEXT))
    letters = [alphabet.index(letter) for letter in TEXT]
    shapes = (STATES,), (STATES, STATES), (STATES, len(alphabet))
    parameters = tuple(normalize(rng.uniform(0.5, 1.5, size=shape)) for shape in shapes)

    expected_counts = value_and_grad(log_likelihood)
    likelihoods = []
    for _ in range(iterations):
        value, counts = expected_counts(parameters, letters)
        likelihoods.append(value)
        parameters = tuple(map(normalize, counts))
    print(f"loss {-likelihoods[0]:.4f} at first, {-likelihoods[-1]:.4f} at last")
    print(f"largest decrease of the likelihood in an iteration: {max(0.0, -np.min(np.diff(likelihoods))):.1e}")
    print("letters of state 0:", "".join(a for a, e in zip(alphabet, parameters[2].T, strict=True) if e[0] > e[1]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
