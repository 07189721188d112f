"""Find the flow that turns one picture of smoke into another: differentiate a fluid simulation.

    python fluidsim.py [evaluations]

Parameters are the velocities at the start, on a periodic grid. A step removes the divergence of the velocities and lets
them carry themselves along; smoke is carried along, too.
"""

import sys

import wengert.numpy as np
from scipy.optimize import minimize
from wengert.numpy import value_and_grad

GRID, STEPS, SWEEPS = 20, 8, 6


def project(vx, vy):
    """Return velocities of which most of the divergence is removed, by a few sweeps of Jacobi's method."""
    divergence = -0.5 * (np.roll(vx, -1, axis=0) - np.roll(vx, 1, axis=0)
                         + np.roll(vy, -1, axis=1) - np.roll(vy, 1, axis=1))  # fmt: skip
    pressure = np.zeros(vx.shape)
    for _ in range(SWEEPS):
        neighbors = (np.roll(pressure, 1, axis=0) + np.roll(pressure, -1, axis=0)
                     + np.roll(pressure, 1, axis=1) + np.roll(pressure, -1, axis=1))  # fmt: skip
        pressure = 0.25 * (divergence + neighbors)
    vx = vx - 0.5 * (np.roll(pressure, -1, axis=0) - np.roll(pressure, 1, axis=0))
    vy = vy - 0.5 * (np.roll(pressure, -1, axis=1) - np.roll(pressure, 1, axis=1))
    return vx, vy


def advect(field, vx, vy):
    """Return a field carried along by velocities: interpolated where each cell's content comes from."""
    rows, columns = field.shape
    cell_x, cell_y = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    x, y = cell_x - vx, cell_y - vy
    left, top = np.floor(x), np.floor(y)
    right_weight, bottom_weight = x - left, y - top
    i, j = left.astype(int) % rows, top.astype(int) % columns
    below, right = (i + 1) % rows, (j + 1) % columns
    upper = (1.0 - bottom_weight) * field[i, j] + bottom_weight * field[i, right]
    lower = (1.0 - bottom_weight) * field[below, j] + bottom_weight * field[below, right]
    return (1.0 - right_weight) * upper + right_weight * lower


def simulate(vx, vy, smoke):
    """Return the smoke after STEPS steps."""
    for _ in range(STEPS):
        vx, vy = project(*(advect(v, vx, vy) for v in (vx, vy)))
        smoke = advect(smoke, vx, vy)
    return smoke


def pictures():
    """Return a disk, and a ring beside its middle: smoke at the start and at the end."""
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, GRID), np.linspace(-1.0, 1.0, GRID), indexing="ij")
    distance = np.hypot(x, y)
    return np.exp(-6.0 * distance**2), np.exp(-20.0 * (np.hypot(x - 0.2, y) - 0.5) ** 2)


def main(evaluations=25):
    smoke, target = pictures()

    def loss(velocities):
        vx, vy = velocities.reshape(2, GRID, GRID)
        return np.mean((simulate(vx, vy, smoke) - target) ** 2)

    start = 0.1 * np.random.default_rng(0).normal(size=2 * GRID * GRID)
    result = minimize(value_and_grad(loss), start, jac=True, method="L-BFGS-B", options={"maxfun": evaluations})
    print(f"loss {loss(start):.4f} at first, {result.fun:.4f} at last")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
