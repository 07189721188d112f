"""Learn to write a text, letter by letter, with long short-term memory.

    python lstm.py [steps]

The text and the stretches of it are those of rnn.py.
"""

import sys
from itertools import pairwise

import wengert.numpy as np
from rnn import LETTERS, one_hot, text_windows
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

CELLS = 24


def sigmoid(x):
    """Return the logistic function, from 0 to 1."""
    return 0.5 * (np.tanh(0.5 * x) + 1.0)


def update(weights, letters, state):
    """Return the cells and outputs after one more letter.

    All four gates come from one product; its rows are those of the letter, of the output before, and of the bias.
    """
    cells, outputs = state
    ones = np.ones((len(letters), 1))
    gates = np.dot(np.concatenate([letters, outputs, ones], axis=1), weights)
    change, forget, ingate, outgate = (gates[:, i * CELLS : (i + 1) * CELLS] for i in range(4))
    cells = cells * sigmoid(forget) + np.tanh(change) * sigmoid(ingate)
    return cells, np.tanh(cells) * sigmoid(outgate)


def log_probabilities(weights, outputs):
    """Return the logarithm of the probability of each next letter."""
    scores = np.dot(outputs, weights)
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


def loss(parameters, windows):
    """Return the mean bits that a letter takes after those before it."""
    state = np.zeros((windows.shape[1], CELLS)), np.zeros((windows.shape[1], CELLS))
    total = 0.0
    for letters, following in pairwise(windows):
        state = update(parameters["gates"], letters, state)
        total = total - np.sum(log_probabilities(parameters["out"], state[1]) * following)
    return total / np.log(2.0) / (len(windows) - 1) / windows.shape[1]


def continue_text(parameters, text, length):
    """Return a text and the letters that follow with the highest probabilities."""
    state = np.zeros((1, CELLS)), np.zeros((1, CELLS))
    for position in range(len(text) + length):
        if position == len(text):
            text += LETTERS[int(np.argmax(log_probabilities(parameters["out"], state[1])))]
        state = update(parameters["gates"], one_hot(text[position]), state)
    return text


def main(steps=120):
    rng = np.random.default_rng(0)
    start = {
        "gates": 0.3 * rng.normal(size=(len(LETTERS) + CELLS + 1, 4 * CELLS)),
        "out": 0.3 * rng.normal(size=(CELLS, len(LETTERS))),
    }
    windows = text_windows()
    gradient = grad(loss)
    parameters = adam(lambda p, step: gradient(p, windows), start, num_iters=steps, step_size=0.03)
    print(f"loss {loss(start, windows):.4f} at first, {loss(parameters, windows):.4f} at last (bits a letter)")
    print(continue_text(parameters, "a der", 60))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
