"""Learn to write a text, letter by letter, with a recurrent network.

    python rnn.py [steps]

Parameters are a dict of arrays. The network reads many stretches of the text at once.
"""

import sys
from itertools import pairwise

import wengert.numpy as np
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

TEXT = """a derivative of a sum is a sum of derivatives, a derivative of a chain is a product along the chain, """
LETTERS = sorted(set(TEXT))
STATES, LENGTH = 32, 16


def one_hot(text):
    """Return a row with a one for each letter."""
    return np.eye(len(LETTERS))[[LETTERS.index(letter) for letter in text]]


def text_windows():
    """Return all stretches of the text of one length, [time, stretch, letter]."""
    windows = [one_hot(TEXT[i : i + LENGTH]) for i in range(0, len(TEXT) - LENGTH, 3)]
    return np.stack(windows, axis=1)


def update_state(parameters, letters, state):
    """Return the state after one more letter."""
    return np.tanh(np.dot(letters, parameters["in"]) + np.dot(state, parameters["state"]) + parameters["state_bias"])


def log_probabilities(parameters, state):
    """Return the logarithm of the probability of each next letter."""
    scores = np.dot(state, parameters["out"]) + parameters["out_bias"]
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


def loss(parameters, windows):
    """Return the mean bits that a letter takes after those before it."""
    state = np.zeros((windows.shape[1], STATES))
    total = 0.0
    for letters, following in pairwise(windows):
        state = update_state(parameters, letters, state)
        total = total - np.sum(log_probabilities(parameters, state) * following)
    return total / np.log(2.0) / (len(windows) - 1) / windows.shape[1]


def continue_text(parameters, text, length):
    """Return a text and the letters that follow with the highest probabilities."""
    state = np.zeros((1, STATES))
    for letter in text:
        state = update_state(parameters, one_hot(letter), state)
    for _ in range(length):
        text += LETTERS[int(np.argmax(log_probabilities(parameters, state)))]
        state = update_state(parameters, one_hot(text[-1]), state)
    return text


def main(steps=150):
    rng = np.random.default_rng(0)
    start = {
        "in": 0.3 * rng.normal(size=(len(LETTERS), STATES)),
        "state": 0.1 * rng.normal(size=(STATES, STATES)),
        "state_bias": np.zeros(STATES),
        "out": 0.3 * rng.normal(size=(STATES, len(LETTERS))),
        "out_bias": np.zeros(len(LETTERS)),
    }
    windows = text_windows()
    gradient = grad(loss)
    parameters = adam(lambda p, step: gradient(p, windows), start, num_iters=steps, step_size=0.02)
    print(f"loss {loss(start, windows):.4f} at first, {loss(parameters, windows):.4f} at last (bits a letter)")
    print(continue_text(parameters, "a der", 60))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
