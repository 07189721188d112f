"""Refusal: why a recording is not replayed."""


class Refusal(Exception):
    """A recording cannot be replayed; the message says why. transient: another one may be."""

    def __init__(self, reason: str, transient: bool = False) -> None:
        super().__init__(reason)
        self.transient = transient


class HasGraph(Refusal):
    """A result has a graph that leads to arguments or leaves: the function may become one node of a graph."""


class NoLoop(Exception):
    """A construct that runs cannot be a loop: it is to be run from its start."""
