"""Wishes of the user: plugins switched off and on, preferred, loaded at once, or first party only."""

from __future__ import annotations

from wengert_registry.errors import quote_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wengert_registry.candidate import Candidate, Distribution

GROUPS = {  # short name: (entry-point group, what one of it is called)
    "ops": ("wengert.ops.v1", "op table"),
    "formulas": ("wengert.formulas.v1", "formula"),
    "devices": ("wengert.devices.v1", "device"),
    "layouts": ("wengert.layouts.v1", "layout"),
    "profiler_sinks": ("wengert.profiler_sinks.v1", "profiler sink"),
    "process_groups": ("wengert.process_groups.v1", "process group"),
    "namespace": ("wengert.namespace.v1", "wengert name"),
}
KNOWN = {group: (short, noun) for short, (group, noun) in GROUPS.items()}
SWITCHES = ("WENGERT_PLUGINS", "WENGERT_PLUGINS_STRICT", "WENGERT_DISABLE_PLUGINS", "WENGERT_PREFER")
LIKE_SWITCHES = ("WENGERT_PLUGIN", "WENGERT_DISABLE", "WENGERT_ENABLE", "WENGERT_PREFER")
NO, YES = ("", "0", "false", "no", "off"), ("1", "true", "yes", "on")
CHOICES = ("WENGERT_PREFER", "prefer()")
ROWS_HAVE_NAMES = ("ops", "namespace")  # groups whose objects bring names of their own


def normalize(name: str) -> str:
    """The one spelling of a distribution's name, as package indexes compare them.

    >>> normalize("Acme_.GPU")
    'acme-gpu'
    """
    name = name.strip().lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


def check_group(short: str) -> None:
    """ValueError for a short name that no group has."""
    if short not in GROUPS:
        raise ValueError(f"no plugin group '{short}'; there are: {', '.join(GROUPS)}")


class Pattern:
    """An item of a switch: 'acme-*' (distributions), 'formulas:special.*' (names of a group), or, of a choice,
    'formulas:exp=acme'. * stands for anything.   source: the variable or function that it was given to.
    """

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source, self.is_choice = text, source, source in CHOICES
        name, _, distribution = text.partition("=") if self.is_choice else (text, "", "")
        short, colon, glob = name.partition(":")
        self.short, self.glob = (short.strip(), glob.strip()) if colon else ("", normalize(name))
        self.distribution = normalize(distribution)
        if colon:
            check_group(self.short)
        if not self.glob or (self.is_choice and not (colon and self.distribution)):
            form = "'group:name=distribution'" if self.is_choice else "'distribution' or 'group:name'"
            raise ValueError(f"plugin switch {text!r} is not understood; expected {form}")

    def fits(self, name: str) -> bool:
        """Return whether the whole name fits.

        >>> Pattern("special-*", "").fits("special-digamma"), Pattern("a*c*", "").fits("abd")
        (True, False)
        """
        if "*" not in self.glob:
            return self.glob == name
        from fnmatch import fnmatchcase  # it needs re

        return fnmatchcase(name, self.glob)

    def matches(self, candidate: Candidate, names: Iterable[str] = ()) -> bool:
        """Return whether the candidate's distribution, or its name (one of these names) in its group, is meant."""
        if self.distribution not in ("", candidate.distribution.name):
            return False
        if not self.short:
            return self.fits(candidate.distribution.name)
        return self.short == candidate.short and any(map(self.fits, names or (candidate.name,)))

    def may_match(self, candidate: Candidate) -> bool:
        """Return whether the candidate matches, or a name that it gives, or may give once it is loaded."""
        names = [candidate.name]
        if self.is_choice and candidate.short in ROWS_HAVE_NAMES:
            given = candidate.claims
            names += [self.glob] if given is None else [name for place in given.values() for name in place]
        return self.matches(candidate, names)

    def describe(self, candidate: Candidate) -> str:
        """A pattern of this form that would match the candidate."""
        name = f"{candidate.short}:{candidate.name}" if self.short else candidate.distribution.name
        return f"{name}={candidate.distribution.name}" if self.is_choice else name


class Rules:
    """The switches of one registry; of several that fit, the last one given counts."""

    first_party_only: bool = False
    eager: bool = False
    strict: bool = False

    def __init__(self) -> None:
        self.patterns: list[Pattern] = []

    def read(self, environ: Mapping[str, str]) -> Iterator[str]:
        """Take over the environment variables; yields a sentence for each item that makes no sense."""
        mode, strict, *lists = [environ.get(variable, "").strip() for variable in SWITCHES]
        self.first_party_only, self.eager = mode.lower() == "off", mode.lower() == "eager"
        self.strict = strict.lower() not in NO
        if mode.lower() not in ("", "on", "off", "eager"):
            yield f"WENGERT_PLUGINS: {mode!r} is not understood; expected 'on', 'off' or 'eager'"
        if strict.lower() not in NO + YES:
            yield f"WENGERT_PLUGINS_STRICT: {strict!r} is not understood; expected '1' or '0'"
        for variable, text in zip(SWITCHES[2:], lists, strict=True):
            for item in text.split(","):
                try:
                    self.add(item, variable)
                except ValueError as error:
                    yield f"{variable}: {error}"
        for name in environ:
            if name.startswith(LIKE_SWITCHES) and name not in SWITCHES:
                known = ", ".join(SWITCHES)
                yield f"{name} is no switch of wengert's and has no effect; the switches for plugins are {known}"

    def add(self, text: str, source: str) -> list[Pattern]:
        """Take what disable, enable or prefer was given; nothing changes where an item is wrong (ValueError)."""
        patterns = [Pattern(item.strip(), source) for item in text.split(",") if item.strip()]
        self.patterns += patterns
        return patterns

    def unknown(self, candidates: Sequence[Candidate]) -> Iterator[str]:
        """A sentence for each item of the switches that fits none of the candidates: it may be misspelt."""
        for pattern in self.patterns:
            if not any(map(pattern.may_match, candidates)):
                group = [one for one in candidates if pattern.short in ("", one.short)]
                theirs = [one for one in group if one.distribution.name == pattern.distribution]
                known = quote_names(sorted({*map(pattern.describe, theirs or group)}))
                yield f"{pattern.source}: {pattern.text!r} fits nothing that is installed; there are: {known}"

    def leaves_alone(self, distribution: Distribution) -> bool:
        """Return whether all entries of a distribution are in use, as can be told without looking at them."""
        wanted = distribution.first_party or not self.first_party_only
        return wanted and all(pattern.is_choice for pattern in self.patterns)

    def why_off(self, candidate: Candidate) -> str:
        """The reason why the candidate is disabled; '' if it is not, as whatever is registered in this process."""
        if candidate.in_process:
            return ""
        for pattern in reversed(self.patterns):
            if not pattern.is_choice and pattern.matches(candidate):
                return "" if pattern.source == "enable()" else f"disabled by {pattern.source}"
        off = self.first_party_only and not candidate.distribution.first_party
        return "disabled by WENGERT_PLUGINS=off" if off else ""

    def preference(self, candidates: Sequence[Candidate], names: Iterable[str] = ()) -> Candidate | None:
        """The one that the user chose among candidates of one name; names: where it is the name of a row."""
        choices = [pattern for pattern in reversed(self.patterns) if pattern.is_choice]
        return next((one for choice in choices for one in candidates if choice.matches(one, names)), None)
