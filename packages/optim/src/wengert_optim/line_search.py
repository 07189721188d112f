"""A line search that finds a step which fulfills the strong Wolfe conditions.

Source: Nocedal and Wright, Numerical Optimization, algorithms 3.5 (bracketing) and 3.6 (zoom), with the safeguards of
Mark Schmidt's minFunc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wengert import Tensor

__all__ = ["strong_wolfe"]

DECREASE, CURVATURE = 1e-4, 0.9


class Point(NamedTuple):
    """A step along the direction."""

    t: Any
    """The length of the step."""
    loss: Any
    grad: Tensor
    slope: Tensor
    """The derivative of the loss along the direction."""


class LineSearch:
    """The search of one direction: where it starts, and how often the loss has been computed.

    evaluate: returns loss and gradient of a step.   limit: the number of steps that are tried after the first.
    decrease, curvature: the constants c1 and c2 of the conditions.
    """

    decrease, curvature = DECREASE, CURVATURE

    def __init__(
        self, evaluate: Callable[[Any], tuple[float, Tensor]], direction: Tensor, start: Point, limit: int
    ) -> None:
        self.evaluate, self.direction, self.start, self.limit = evaluate, direction, start, limit
        self.evaluations = 0

    def try_step(self, t: Any) -> Point:
        """Return the point that is this step away."""
        self.evaluations += 1
        loss, grad = self.evaluate(t)
        return Point(t, loss, grad, grad.dot(self.direction))

    def is_too_high(self, point: Point) -> bool:
        """Return whether the loss has not decreased as the slope at the start promises."""
        return bool(point.loss > self.start.loss + self.decrease * point.t * self.start.slope)

    def is_flat(self, point: Point) -> bool:
        """Return whether the slope has become small enough."""
        return bool(abs(point.slope) <= -self.curvature * self.start.slope)

    def bracket(self, t: Any) -> tuple[list[Point], bool]:
        """Return two points with a suitable one between them, or one that is suitable, and whether the search ends."""
        last, point = self.start, self.try_step(t)
        for tries in range(self.limit):
            if self.is_too_high(point) or (tries > 1 and point.loss >= last.loss):
                return [last, point], False
            if self.is_flat(point):
                return [point], True
            if point.slope >= 0:
                return [last, point], False
            bounds = point.t + 0.01 * (point.t - last.t), point.t * 10
            last, point = point, self.try_step(cubic_minimum([last, point], bounds))
        return [self.start, point], True

    def zoom(self, points: list[Point], tolerance: float) -> Point:
        """Return a suitable point between two, or the best that was found."""
        stuck = False
        low, high = order(points)
        width = self.direction.abs().max()
        while self.evaluations <= self.limit and not abs(points[1].t - points[0].t) * width < tolerance:
            t, stuck = keep_inside(cubic_minimum(points), points, stuck)
            point = self.try_step(t)
            if self.is_too_high(point) or point.loss >= points[low].loss:
                points[high] = point
                low, high = order(points)
                continue
            if self.is_flat(point):
                return point
            if point.slope * (points[high].t - points[low].t) >= 0:
                points[high] = points[low]
            points[low] = point
        return points[low]


def order(points: list[Point]) -> tuple[int, int]:
    """Return the places of the lower and of the higher of two points."""
    return (0, 1) if points[0].loss <= points[-1].loss else (1, 0)


def keep_inside(t: Any, points: list[Point], stuck: bool) -> tuple[Any, bool]:
    """Return a step that is not too close to the ends of a bracket twice in a row, and whether this one is close."""
    lower, upper = min(points[0].t, points[1].t), max(points[0].t, points[1].t)
    margin = 0.1 * (upper - lower)
    if min(upper - t, t - lower) >= margin:
        return t, False
    if stuck or t >= upper or t <= lower:
        return (upper - margin if abs(t - upper) < abs(t - lower) else lower + margin), False
    return t, True


def cubic_minimum(points: list[Point], bounds: tuple[Any, Any] | None = None) -> Any:
    """Return where the cubic through two points, with their slopes, has its minimum, moved inside the bounds."""
    first, second = points if points[0].t <= points[1].t else reversed(points)
    lower, upper = bounds or (first.t, second.t)
    d1 = first.slope + second.slope - 3 * (first.loss - second.loss) / (first.t - second.t)
    square = d1**2 - first.slope * second.slope
    if not square >= 0:
        return (lower + upper) / 2.0
    d2 = square.sqrt()
    t = second.t - (second.t - first.t) * ((second.slope + d2 - d1) / (second.slope - first.slope + 2 * d2))
    return min(max(t, lower), upper)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    t: Any,
    direction: Tensor,
    start: Point,
    limit: int,
    tolerance: float = 1e-9,
) -> tuple[Point, int]:
    """Return a point that fulfills the strong Wolfe conditions and the number of evaluations that it took.

    evaluate: returns loss and gradient of a step of this length along the direction.   t: the first step to try.
    limit: the number of steps to try.   tolerance: the smallest change of an element that is worth a step.
    """
    search = LineSearch(evaluate, direction, start, limit)
    return run_search(search, t, tolerance), search.evaluations


def run_search(search: LineSearch, t: Any, tolerance: float) -> Point:
    """Return the point that a search finds with t as the first step."""
    points, ended = search.bracket(t)
    return points[order(points)[0]] if ended else search.zoom(points, tolerance)


# ---- PyTorch's private functions, for programs that import them


def _strong_wolfe(
    obj_func: Callable[[Any, Any, Any], tuple[float, Tensor]],
    x: Any,
    t: Any,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = DECREASE,
    c2: float = CURVATURE,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[Any, Tensor, Any, int]:
    """Return loss, gradient and length of a step that fulfills the conditions, and the number of evaluations.

    obj_func: returns loss and gradient for (x, t, d).   f, g, gtd: loss, gradient and slope at x.
    """
    search = LineSearch(lambda step: obj_func(x, step, d), d, Point(0, f, g, gtd), max_ls)
    search.decrease, search.curvature = c1, c2
    point = run_search(search, t, tolerance_change)
    return point.loss, point.grad, point.t, search.evaluations


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """Return where the cubic through two points, with slopes that are tensors, has its minimum within the bounds."""
    return cubic_minimum([Point(x1, f1, g1, g1), Point(x2, f2, g2, g2)], bounds)
