"""A program as text: statements outside of a function, in it, and those that call it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace
from typing import Any

HEAD = "def scenario(capture, reload, call, see):"
PARTS = ("outside", "body", "inputs", "calls")


@dataclass
class Program:
    """A program that can be shortened: a statement of several lines is one entry of its list.

    outside: makes what the function reaches.   body, results: of the function.   arguments: its parameters.
    inputs: makes the arguments.   calls: calls the function as ``f``.   changes: statements that ``calls`` may have
    between two calls.   options: of ``capture``.
    """

    kind: str = "plain"
    seed: int = 0
    outside: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    options: str = ""

    def text(self) -> str:
        """Return the text of ``scenario``, a function that ``run.run`` calls."""
        options = f", {self.options}" if self.options else ""
        function = [f"def function({', '.join(self.arguments)}):"]
        function += [textwrap.indent(line, "    ") for line in self.body]
        function += [f"    return {', '.join(self.results) or 'None'}"]
        lines = [*self.outside, *function, f"f = capture(function{options})", *self.inputs, *self.calls]
        text = f"# {self.kind}, seed {self.seed}\n{HEAD}\n"
        return text + "".join(textwrap.indent(line, "    ") + "\n" for line in lines)

    def copy(self) -> Program:
        """Return a copy whose lists can be changed."""
        lists: dict[str, Any] = {name: list(getattr(self, name)) for name in (*PARTS, "results", "arguments")}
        return replace(self, **lists)
