"""Learn the law of motion from a path: the right side of a differential equation is a network.

    python ode_net.py [steps]

The derivative goes through the Runge-Kutta method that solves the equation.
"""

import sys

import wengert.numpy as np
from variational_autoencoder import network, new_layers
from wengert.numpy import grad
from wengert.numpy.misc.optimizers import adam

TIMES = np.linspace(0.0, 1.0, 11)  # of the stretches of the path that are fitted


def spiral(state):
    """Return the velocity of the true motion, of states [n, 2]."""
    return np.dot(state**3, np.array([[-0.1, -2.0], [2.0, -0.1]]))


def solve(velocity, state, times):
    """Return the states at some times, the first of which is given, by the classical Runge-Kutta method."""
    path = [state]
    for h in np.diff(times):
        k1 = velocity(state)
        k2 = velocity(state + 0.5 * h * k1)
        k3 = velocity(state + 0.5 * h * k2)
        k4 = velocity(state + h * k3)
        state = state + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
        path.append(state)
    return np.stack(path)


def main(steps=150):
    rng = np.random.default_rng(0)
    path = solve(spiral, np.array([[2.0, 0.0]]), np.linspace(0.0, 10.0, 201))[:, 0]

    def loss(parameters, starts):
        truth = np.stack([path[starts + 2 * i] for i in range(len(TIMES))])
        return np.mean(np.abs(solve(lambda state: network(parameters, state**3), path[starts], TIMES) - truth))

    gradient = grad(loss)
    start = new_layers(rng, 2, 24, 2)
    limit = len(path) - 2 * len(TIMES)
    parameters = adam(lambda p, step: gradient(p, rng.integers(limit, size=16)), start, num_iters=steps, step_size=0.02)
    first, last = (loss(p, np.arange(0, limit, 5)) for p in (start, parameters))
    print(f"loss {first:.4f} at first, {last:.4f} at last")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
