"""Sinks: where the results of a profile go. Ours, and those of other distributions (``wengert.profiler_sinks.v1``).

Note [What a sink is]
    An entry point gives a class, or a function, which is called with a text (what follows the colon in
    ``sinks=["csv:out.csv"]``; None without one). What it gives has ``write(profile)``, called when the block has ended,
    or ``begin(kind, what, number, shapes)`` and ``end()``, called as things happen, or both. A sink that raises never
    harms the program that is profiled: there is one warning, and the other sinks get their events.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from wengert_registry import errors, registry


class ChromeTrace:
    """``chrome:trace.json``: a trace for chrome://tracing and ui.perfetto.dev."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or "trace.json"

    def write(self, profile: Any) -> None:
        """Write the file."""
        profile.export_chrome_trace(self.path)


class FlameGraph:
    """``flame:flame.html``: a flame graph, one HTML file that needs nothing else."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or "flame.html"

    def write(self, profile: Any) -> None:
        """Write the file."""
        from wengert_profiler.export.flame import export_flame_graph

        export_flame_graph(profile, self.path)


class Speedscope:
    """``speedscope:profile.speedscope.json``: for www.speedscope.app."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or "profile.speedscope.json"

    def write(self, profile: Any) -> None:
        """Write the file."""
        from wengert_profiler.export.flame import export_speedscope

        export_speedscope(profile, self.path)


def open_sinks(wanted: Iterable[Any]) -> list[Any]:
    """The sinks that were asked for by name (``name`` or ``name:text``) or given as objects.

    ValueError for a name that no installed distribution brings; a sink that cannot be made is a warning.
    """
    found = []
    for one in wanted:
        if not isinstance(one, str):
            found.append(one)
            continue
        name, colon, text = one.partition(":")
        group = registry.group("profiler_sinks")
        if name not in group:
            absent = f"profile(): there is no sink {name!r}; installed are {', '.join(sorted(group.names()))}"
            raise ValueError(". ".join([absent, *group.reasons(name)]))
        try:
            make: Any = group.get(name)
            sink = make(text if colon else None)
            if not hasattr(sink, "write") and not (hasattr(sink, "begin") and hasattr(sink, "end")):
                raise TypeError("expected an object with write(profile), or with begin(kind, what, number, shapes) "
                                f"and end(), got {type(sink).__name__}")
            found.append(sink)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a sink that calls sys.exit() ends itself and not the program
            complain(f"{name} of {origin_of(name)}", error)
    return found


def origin_of(name: str) -> str:
    """The distribution and the entry point of a sink."""
    candidate = registry.group("profiler_sinks").current(name)
    return "several distributions" if candidate is None else errors.origin(candidate)


def live_listener(sinks: list[Any]) -> Any:
    """What is told of events as they happen; None when no sink wants that."""
    live = [sink for sink in sinks if hasattr(sink, "begin")]
    return Several(live) if live else None


class Several:
    """Sinks that are told of events as they happen; one that raises is told no more."""

    def __init__(self, sinks: list[Any]) -> None:
        self.sinks = sinks
        self.record_shapes = any(getattr(sink, "record_shapes", False) for sink in sinks)

    def begin(self, kind: int, what: Any, number: int, shapes: list[Any] | None) -> None:
        """Something begins."""
        self.each("begin", kind, what, number, shapes)

    def end(self) -> None:
        """It ends."""
        self.each("end")

    def each(self, name: str, *facts: Any) -> None:
        """Call a method of all."""
        for sink in list(self.sinks):
            try:
                getattr(sink, name)(*facts)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.sinks.remove(sink)
                complain(type(sink).__name__, error)


def feed(sinks: list[Any], profile: Any) -> None:
    """Let the sinks write what was recorded."""
    for sink in sinks:
        if hasattr(sink, "write"):
            try:
                sink.write(profile)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                complain(type(sink).__name__, error)


def complain(name: str, error: BaseException) -> None:
    """The one warning of a sink that has failed."""
    warnings.warn(
        f"profiler sink {name} failed: {type(error).__name__}: {error}. The program goes on without it",
        RuntimeWarning,
        stacklevel=2,
    )
