"""einsum's equations: a label for each dim of the operands and of the result."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
Labels = list[Any]  # a letter for a subscript, a number for a dim of an ellipsis, counted from the right: -1, -2, ...


def fail(text: str) -> RuntimeError:
    """The error that all mistakes in an equation give."""
    return RuntimeError(f"einsum(): {text}")


def read_term(equation: str, start: int, end: int, which: str) -> tuple[list[str], int]:
    """The subscripts up to ``end`` or a comma, "..." among them, and where it stopped. which: "operand 0", "output"."""
    term: list[str] = []
    at = start
    while at < end and not (equation[at] == "," and which != "output"):
        mark = equation[at]
        if mark == ".":
            mark = read_ellipsis(equation, at, end, which, "..." in term)
            at += 2
        elif mark not in LETTERS and mark != " ":
            raise fail(f"invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]")
        if mark != " ":
            term.append(mark)
        at += 1
    return term, at


def read_ellipsis(equation: str, at: int, end: int, which: str, seen: bool) -> str:
    """The three dots at ``at``."""
    output = which == "output"
    if seen:
        raise fail(
            "found '.' for output but an ellipsis (...) was already found"
            if output
            else f"found '.' for {which} for which an ellipsis was already found"
        )
    if equation[at : min(at + 3, end)] != "...":
        raise fail(f"found '.' for {which} that is not part of any ellipsis" + (" (...)" if output else ""))
    return "..."


def read(equation: str, n_operands: int) -> tuple[list[list[str]], list[str] | None]:
    """The terms of the operands, and of the output when it is given."""
    arrow = equation.find("->")
    end = len(equation) if arrow < 0 else arrow
    terms: list[list[str]] = []
    at = 0
    while True:
        if len(terms) == n_operands:
            raise fail("fewer operands were provided than specified in the equation")
        term, at = read_term(equation, at, end, f"operand {len(terms)}")
        terms.append(term)
        if at >= end:
            break
        at += 1
    if len(terms) < n_operands:
        raise fail("more operands were provided than specified in the equation")
    if arrow < 0:
        return terms, None
    return terms, read_term(equation, arrow + 2, len(equation), "output")[0]


def labels_of(term: list[str], ndim: int, which: int) -> Labels:
    """A label for each dim of an operand."""
    n = len(term) - ("..." in term)
    if "..." not in term and n != ndim:
        raise fail(
            f"the number of subscripts in the equation ({n}) does not match the number of dimensions ({ndim}) for "
            f"operand {which} "
            "and no ellipsis was given"
        )
    if n > ndim:
        raise fail(
            f"the number of subscripts in the equation ({n}) is more than the number of dimensions ({ndim}) for "
            f"operand {which}"
        )
    labels: Labels = []
    for mark in term:
        labels += range(n - ndim, 0) if mark == "..." else [mark]
    return labels


def output_labels(term: list[str] | None, terms: list[list[str]], ellipsis: int) -> Labels:
    """The labels of the output; without a term: the ellipsis, then the subscripts which come once, sorted."""
    marks = [mark for one in terms for mark in one if mark != "..."]
    if term is None:
        return [*range(-ellipsis, 0), *sorted(mark for mark in set(marks) if marks.count(mark) == 1)]
    labels: Labels = []
    for mark in term:
        if mark != "..." and mark not in marks:
            raise fail(f"output subscript {mark} does not appear in the equation for any input operand")
        if mark in labels:
            raise fail(f"output subscript {mark} appears more than once in the output")
        labels += range(-ellipsis, 0) if mark == "..." else [mark]
    return labels


@lru_cache(maxsize=1024)
def parse_equation(equation: str, ranks: tuple[int, ...]) -> tuple[list[Labels], Labels]:
    """The labels of the operands' dims and of the output's; kept, since programs have few equations."""
    terms, output = read(equation, len(ranks))
    labeled = [labels_of(term, rank, i) for i, (term, rank) in enumerate(zip(terms, ranks, strict=True))]
    ellipsis = max(sum(isinstance(label, int) for label in labels) for labels in labeled)
    return labeled, output_labels(output, terms, ellipsis)


def from_sublists(arguments: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation of operands that alternate with lists of subscript numbers; a last list is the output's."""

    def term(numbers: Any) -> str:
        for number in numbers:
            if number is not Ellipsis and not 0 <= number < len(LETTERS):
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return "".join("..." if number is Ellipsis else LETTERS[number] for number in numbers)

    pairs = len(arguments) // 2
    equation = ",".join(term(arguments[2 * i + 1]) for i in range(pairs))
    if len(arguments) % 2:
        equation += "->" + term(arguments[-1])
    return equation, [arguments[2 * i] for i in range(pairs)]
