"""Fixed points, whose derivative needs no derivative of the iteration: the implicit function theorem."""

from __future__ import annotations

from typing import Any

from wengert_numpy.autograd_numpy.differential_operators import make_vjp
from wengert_numpy.autograd_numpy.extend import defvjp, primitive
from wengert_numpy.autograd_numpy.nested import map_leaves


def iterate(function: Any, x0: Any, distance: Any, tol: Any) -> Any:
    """Return the first iterate that lies not farther than ``tol`` from the one before."""
    x, before = function(x0), x0
    while distance(x, before) > tol:
        x, before = function(x), x
    return x


@primitive
def fixed_point(f: Any, a: Any, x0: Any, distance: Any, tol: Any) -> Any:
    """Return x with ``x = f(a)(x)``, by iteration from x0 until ``distance`` of two iterates is at most ``tol``.

    The derivative by ``a`` is that of the fixed point; the starting point has none.
    """
    return iterate(f(a), x0, distance, tol)


def fixed_point_vjp(ans: Any, f: Any, a: Any, x0: Any, distance: Any, tol: Any) -> Any:
    """Return g -> (df/da).T w where w = g + (df/dx).T w, at the fixed point."""

    def vjp(g: Any) -> Any:
        of_x, _ = make_vjp(lambda x: f(a)(x))(ans)
        of_a, _ = make_vjp(lambda parameter: f(parameter)(ans))(a)

        def step(w: Any) -> Any:
            return map_leaves(lambda one, two: one + two, g, of_x(w))

        return of_a(iterate(step, g, distance, tol))

    return vjp


defvjp(fixed_point, None, fixed_point_vjp, None)
