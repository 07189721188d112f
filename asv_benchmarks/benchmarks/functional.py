"""wengert-functional: Jacobians and Hessians in full, products with them, and the transforms of wengert.func.

tools/compare/functional.py times the same calls in PyTorch beside them.
"""

from typing import Any

import wengert as wg

from .programs import numbers

SIZE, VARIABLES, SAMPLES = 64, 50, 32


def calls(xp: Any) -> dict[str, Any]:
    """The calls that are timed, by name, of wengert or PyTorch."""
    functional, forward_ad = xp.autograd.functional, xp.autograd.forward_ad
    weight, x = xp.tensor(numbers(SIZE, SIZE, seed=1)), xp.tensor(numbers(SIZE, seed=2))
    deep = [xp.tensor(numbers(SIZE, SIZE, seed=seed)) for seed in (3, 4, 5)]
    point, direction = xp.tensor(numbers(VARIABLES, seed=6)), xp.tensor(numbers(VARIABLES, seed=7))
    tangent, batch = xp.tensor(numbers(SIZE, seed=8)), xp.tensor(numbers(SAMPLES, SIZE, seed=9))

    def layer(x: Any) -> Any:
        return (weight @ x).tanh()

    def network(x: Any) -> Any:
        for inner in deep:
            x = (inner @ x).tanh()
        return x

    def rosenbrock(x: Any) -> Any:
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    def loss(weights: list[Any], x: Any) -> Any:
        for inner in weights:
            x = (inner @ x).tanh()
        return x.sum()

    def dual() -> Any:
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(network(forward_ad.make_dual(x, tangent))).tangent

    return {
        "jacobian by loop": lambda: functional.jacobian(layer, x),
        "jacobian vectorized": lambda: functional.jacobian(layer, x, vectorize=True),
        "jacobian in forward mode": lambda: functional.jacobian(layer, x, vectorize=True, strategy="forward-mode"),
        "hessian": lambda: functional.hessian(rosenbrock, point),
        "hessian vectorized": lambda: functional.hessian(rosenbrock, point, vectorize=True),
        "hvp": lambda: functional.hvp(rosenbrock, point, direction),
        "vhp": lambda: functional.vhp(rosenbrock, point, direction),
        "forward_ad jvp": dual,
        "func.grad": lambda: xp.func.grad(rosenbrock)(point),
        "func.jacrev": lambda: xp.func.jacrev(layer)(x),
        "func.hessian": lambda: xp.func.hessian(rosenbrock)(point),
        "vmap": lambda: xp.vmap(network)(batch),
        "vmap of func.grad": lambda: xp.vmap(xp.func.grad(loss), in_dims=(None, 0))(deep, batch),
    }


NAMES = ("jacobian by loop", "jacobian vectorized", "jacobian in forward mode", "hessian", "hessian vectorized", "hvp",
         "vhp", "forward_ad jvp", "func.grad", "func.jacrev", "func.hessian", "vmap", "vmap of func.grad")


class Functional:
    """The Jacobian of a layer of 64, the Hessian of Rosenbrock's function of 50 variables, and products."""

    params = NAMES
    param_names = ("call",)

    def setup(self, name: str) -> None:
        self.run = calls(wg)[name]

    def time_call(self, name: str) -> None:
        self.run()
