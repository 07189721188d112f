"""What the user wants: plugins switched off and on, preferred, loaded at once, or first party only.

Note [First party]
WENGERT_PLUGINS=off leaves only wengert's own distributions, to see whether a stranger's plugin is at fault. There is no
list of names: each of ours says so itself, by a marker which the same scan reads,

    [project.entry-points."wengert.first_party.v1"]
    wengert-core = "wengert_core"

The name on the left has to be the distribution's own, so that a copied pyproject.toml does not count by accident. It is
a statement, not a lock: what is installed can run code anyhow. The metadata of `wengert` (its requirements and extras)
would name ours too, but `wengert-core` also works where `wengert` is not installed.
"""

from __future__ import annotations

from wengert_registry import errors
from wengert_registry.scan import normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wengert_registry.candidate import Candidate

GROUPS = {  # short name: (entry-point group, what one of it is called)
    "ops": ("wengert.ops.v1", "op table"),
    "formulas": ("wengert.formulas.v1", "formula"),
    "devices": ("wengert.devices.v1", "device"),
    "profiler_sinks": ("wengert.profiler_sinks.v1", "profiler sink"),
    "namespace": ("wengert.namespace.v1", "wengert name"),
}
KNOWN = {group: (short, noun) for short, (group, noun) in GROUPS.items()}


class Pattern:
    """'acme-*' (distributions) or 'formulas:special.*' (names of a group); * stands for anything."""

    __slots__ = ("glob", "short")

    def __init__(self, text: str) -> None:
        short, colon, glob = text.partition(":")
        if colon and short.strip() not in GROUPS:
            raise errors.unknown_group(short.strip(), list(GROUPS))
        self.short = short.strip() if colon else ""
        self.glob = glob.strip() if colon else normalise(text)
        if not self.glob:
            raise ValueError(errors.bad_switch("plugin switch", text, "'distribution' or 'group:name'"))

    def matches(self, candidate: Candidate) -> bool:
        if not self.short:
            return glob(self.glob, candidate.distribution.name)
        return self.short == candidate.short and glob(self.glob, candidate.name)


def glob(pattern: str, text: str) -> bool:
    """Does the whole text fit, where * is any run of characters?

    >>> glob("special.*", "special.digamma"), glob("a*c*", "abd"), glob("core", "core")
    (True, False, True)
    """
    head, *middle = pattern.split("*")
    if not middle:
        return pattern == text
    tail = middle.pop()
    if not text.startswith(head) or len(text) < len(head) + len(tail) or not text.endswith(tail):
        return False
    at, end = len(head), len(text) - len(tail)
    for part in middle:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


class Rules:
    """The switches of one registry; of several that fit, the last one given counts."""

    def __init__(self) -> None:
        self.first_party_only = False
        self.eager = False
        self.strict = False
        self._switches: list[tuple[Pattern, str]] = []  # pattern, why it is off ('': it is on)
        self._choices: list[tuple[Pattern, str]] = []  # pattern, distribution

    def read(self, environ: Mapping[str, str]) -> list[str]:
        """Take over the environment variables; returns a sentence for each item that makes no sense."""
        mode = environ.get("WENGERT_PLUGINS", "").strip().lower()
        self.first_party_only, self.eager = mode == "off", mode == "eager"
        self.strict = environ.get("WENGERT_PLUGINS_STRICT", "").strip().lower() not in ("", "0", "false", "no", "off")
        problems = []
        if mode not in ("", "on", "off", "eager"):
            problems.append(errors.bad_switch("WENGERT_PLUGINS", mode, "'on', 'off' or 'eager'"))
        for variable, take in (("WENGERT_DISABLE_PLUGINS", self._disable), ("WENGERT_PREFER", self.prefer)):
            for item in items(environ.get(variable, "")):
                try:
                    take(item)
                except ValueError as error:
                    problems.append(f"{variable}: {error}")
        return problems

    def _disable(self, item: str) -> None:
        self.switch(item, "disabled by WENGERT_DISABLE_PLUGINS")

    def switch(self, text: str, why_off: str) -> None:
        """Switch what fits off, or on where why_off is ''; nothing changes where an item is wrong (ValueError)."""
        self._switches += [(Pattern(item), why_off) for item in items(text)]

    def prefer(self, text: str) -> None:
        """'formulas:exp=dist-a, ...'; nothing changes where an item is wrong (ValueError)."""
        self._choices += [_choice(item) for item in items(text)]

    def why_off(self, candidate: Candidate) -> str:
        """Why the candidate is disabled; '' if it is not."""
        for pattern, why in reversed(self._switches):
            if pattern.matches(candidate):
                return why
        if self.first_party_only and not candidate.distribution.first_party:
            return "disabled by WENGERT_PLUGINS=off"
        return ""

    def preferred(self, candidates: list[Candidate]) -> Candidate | None:
        """The one that the user chose among candidates of one name."""
        for pattern, distribution in reversed(self._choices):
            for candidate in candidates:
                if pattern.matches(candidate) and candidate.distribution.name == distribution:
                    return candidate
        return None


def _choice(item: str) -> tuple[Pattern, str]:
    name, _, distribution = item.partition("=")
    if ":" not in name or not distribution.strip():
        raise ValueError(errors.bad_switch("plugin choice", item, "'group:name=distribution'"))
    return Pattern(name), normalise(distribution)


def items(text: str) -> Iterator[str]:
    """The parts between commas that are not empty."""
    return (item.strip() for item in text.split(",") if item.strip())
