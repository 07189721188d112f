"""What the user wants: plugins switched off and on, preferred, loaded at once, or first party only.

Note [First party]
WENGERT_PLUGINS=off leaves only wengert's own distributions, to see whether a stranger's plugin is at fault. There is no
list of names: each of ours says so itself, by a marker which the same scan reads,

    [project.entry-points."wengert.first_party.v1"]
    wengert-core = "wengert_core"

The name on the left has to be the distribution's own and begin with wengert, so that a copied pyproject.toml does not
count by accident. It is a statement, not a lock: what is installed can run code anyhow. The metadata of `wengert` (its
requirements and extras) would name ours too, but `wengert-core` also works where `wengert` is not installed.
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
SWITCHES = ("WENGERT_PLUGINS", "WENGERT_PLUGINS_STRICT", "WENGERT_DISABLE_PLUGINS", "WENGERT_PREFER")
LIKE_SWITCHES = ("WENGERT_PLUGIN", "WENGERT_DISABLE", "WENGERT_ENABLE", "WENGERT_PREFER")
NO, YES = ("", "0", "false", "no", "off"), ("1", "true", "yes", "on")
ROWS_HAVE_NAMES = ("ops", "namespace")  # groups whose objects bring names of their own
KNOWN = {group: (short, noun) for short, (group, noun) in GROUPS.items()}


class Pattern:
    """'acme-*' (distributions) or 'formulas:special.*' (names of a group); * stands for anything."""

    __slots__ = ("glob", "short", "text")

    def __init__(self, text: str) -> None:
        short, colon, glob = text.partition(":")
        if colon and short.strip() not in GROUPS:
            raise errors.unknown_group(short.strip(), list(GROUPS))
        self.text = text
        self.short = short.strip() if colon else ""
        self.glob = glob.strip() if colon else normalise(text)
        if not self.glob:
            raise ValueError(errors.bad_switch("plugin switch", text, "'distribution' or 'group:name'"))

    def matches(self, candidate: Candidate) -> bool:
        if not self.short:
            return glob(self.glob, candidate.distribution.name)
        return self.fits(candidate, (candidate.name,))

    def fits(self, candidate: Candidate, names: tuple[str, ...]) -> bool:
        """Return whether the pattern means one of these names, in the candidate's group."""
        return self.short == candidate.short and any(glob(self.glob, name) for name in names)


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
        self.first_party_only: bool = False
        self.eager: bool = False
        self.strict: bool = False
        self._switches: list[tuple[Pattern, str]] = []  # pattern, why it is off ('': it is on)
        self._choices: list[tuple[Pattern, str]] = []  # pattern, distribution

    def read(self, environ: Mapping[str, str]) -> list[str]:
        """Take over the environment variables; returns a sentence for each item that makes no sense."""
        mode = environ.get("WENGERT_PLUGINS", "").strip().lower()
        strict = environ.get("WENGERT_PLUGINS_STRICT", "").strip().lower()
        self.first_party_only, self.eager = mode == "off", mode == "eager"
        self.strict = strict not in NO
        problems = []
        if mode not in ("", "on", "off", "eager"):
            problems.append(errors.bad_switch("WENGERT_PLUGINS", mode, "'on', 'off' or 'eager'"))
        if strict not in NO + YES:
            problems.append(errors.bad_switch("WENGERT_PLUGINS_STRICT", strict, "'1' or '0'"))
        for variable, take in (("WENGERT_DISABLE_PLUGINS", self._disable), ("WENGERT_PREFER", self.prefer)):
            for item in items(environ.get(variable, "")):
                try:
                    take(item)
                except ValueError as error:
                    problems.append(f"{variable}: {error}")
        for variable in environ:
            if variable.startswith(LIKE_SWITCHES) and variable not in SWITCHES:
                problems.append(errors.unknown_switch(variable, SWITCHES))
        return problems

    def _disable(self, item: str) -> None:
        self.switch(item, "disabled by WENGERT_DISABLE_PLUGINS")

    def switch(self, text: str, why_off: str) -> None:
        """Switch what fits off, or on where why_off is ''; nothing changes where an item is wrong (ValueError)."""
        self._switches += [(Pattern(item), why_off) for item in items(text)]

    def prefer(self, text: str) -> None:
        """'formulas:exp=dist-a, ...'; nothing changes where an item is wrong (ValueError)."""
        self._choices += [_choice(item) for item in items(text)]

    def unknown(self, candidates: list[Candidate], rows: Mapping[Candidate, set[str]] | None = None) -> list[str]:
        """A sentence for each item of the switches that fits none of the candidates: it may be misspelt.

        rows: the names that their rows give; None while that is not known, so that a preferred row may have any name.
        """
        problems = []
        for pattern, why in self._switches:
            if not any(pattern.matches(one) for one in candidates):
                variable = why.removeprefix("disabled by ") or "enable()"
                problems.append(errors.unknown_in_switch(variable, pattern.text, _known(pattern.short, candidates)))
        for pattern, name in self._choices:
            theirs = [one for one in candidates if one.distribution.name == name and one.short == pattern.short]
            may = [one for one in theirs if rows is None or one not in rows or pattern.fits(one, tuple(rows[one]))]
            if not any(pattern.matches(one) for one in theirs) and not (may and pattern.short in ROWS_HAVE_NAMES):
                item = f"{pattern.text}={name}"
                known = [f"{one.short}:{one.name}={one.distribution.name}" for one in theirs or candidates
                         if one.short == pattern.short]
                problems.append(errors.unknown_in_switch("WENGERT_PREFER", item, sorted({*known})))
        return problems

    def why_off(self, candidate: Candidate) -> str:
        """Why the candidate is disabled; '' if it is not."""
        for pattern, why in reversed(self._switches):
            if pattern.matches(candidate):
                return why
        if self.first_party_only and not candidate.distribution.first_party:
            return "disabled by WENGERT_PLUGINS=off"
        return ""

    def preferred(self, candidates: list[Candidate], names: tuple[str, ...] = ()) -> Candidate | None:
        """The one that the user chose among candidates of one name; names: where it is the name of a row."""
        for pattern, distribution in reversed(self._choices):
            for candidate in candidates:
                if candidate.distribution.name == distribution and pattern.fits(candidate, names or (candidate.name,)):
                    return candidate
        return None


def _known(short: str, candidates: list[Candidate]) -> list[str]:
    """Return the names that a switch could have used."""
    if short:
        return sorted({f"{short}:{one.name}" for one in candidates if one.short == short})
    return sorted({one.distribution.name for one in candidates})


def _choice(item: str) -> tuple[Pattern, str]:
    name, _, distribution = item.partition("=")
    if ":" not in name or not distribution.strip():
        raise ValueError(errors.bad_switch("plugin choice", item, "'group:name=distribution'"))
    return Pattern(name), normalise(distribution)


def items(text: str) -> Iterator[str]:
    """The parts between commas that are not empty."""
    return (item.strip() for item in text.split(",") if item.strip())
