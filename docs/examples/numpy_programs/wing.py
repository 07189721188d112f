"""Shape an obstacle in a wind tunnel so that it lifts much and drags little.

    python wing.py [evaluations]

The flow is that of fluidsim.py, slowed down where the obstacle is. Parameters are how solid each cell is.
"""

import sys

import wengert.numpy as np
from fluidsim import advect, project
from scipy.optimize import minimize
from scipy.special import expit
from wengert.numpy import value_and_grad

ROWS, COLUMNS, STEPS, WIND = 20, 30, 6, 1.0


def blow(solid):
    """Return the velocities after STEPS steps of wind along the columns around an obstacle, 0 to 1 in each cell."""
    vx, vy = np.zeros((ROWS, COLUMNS)), np.full((ROWS, COLUMNS), WIND)
    for _ in range(STEPS):
        vx, vy = (advect(v, vx, vy) * (1.0 - solid) for v in (vx, vy))
        vx, vy = project(vx, vy)
    return vx, vy


def forces(parameters):
    """Return lift and drag: the momentum across the wind, and that along the wind which is lost."""
    vx, vy = blow(obstacle(parameters))
    return np.mean(vx), np.mean(WIND - vy)


def obstacle(parameters):
    """Return how solid each cell is, from scores of the cells in the middle."""
    scores = parameters.reshape(ROWS // 2, COLUMNS // 3)
    return np.pad(expit(scores), ((ROWS // 4, ROWS // 4), (COLUMNS // 3, COLUMNS // 3)))


def main(evaluations=25):
    def loss(parameters):
        lift, drag = forces(parameters)
        return -lift / drag

    start = 0.3 * np.random.default_rng(0).normal(size=(ROWS // 2) * (COLUMNS // 3)) - 2.0
    options = {"maxfun": evaluations}
    result = minimize(value_and_grad(loss), start, jac=True, method="L-BFGS-B", bounds=[(-5.0, 5.0)] * len(start),
                      options=options)  # fmt: skip
    print(f"loss {loss(start):.4f} at first, {result.fun:.4f} at last (minus lift over drag)")
    for row in obstacle(result.x)[ROWS // 4 : -ROWS // 4, COLUMNS // 3 : -COLUMNS // 3]:
        print("".join(" .:*#"[int(4.99 * solid)] for solid in row).rstrip())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
