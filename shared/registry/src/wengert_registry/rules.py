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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from wengert_registry.candidate import Candidate
    from wengert_registry.offers import Section

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
FIRST_PARTY = "wengert.first_party.v1"  # Note [First party]
SWITCHES = ("WENGERT_PLUGINS", "WENGERT_PLUGINS_STRICT", "WENGERT_DISABLE_PLUGINS", "WENGERT_PREFER")
LIKE_SWITCHES = ("WENGERT_PLUGIN", "WENGERT_DISABLE", "WENGERT_ENABLE", "WENGERT_PREFER")
NO, YES = ("", "0", "false", "no", "off"), ("1", "true", "yes", "on")
ROWS_HAVE_NAMES = ("ops", "namespace")  # groups whose objects bring names of their own


def normalize(name: str) -> str:
    """The one spelling of a distribution's name, as package indexes compare them.

    >>> normalize("Acme_.GPU")
    'acme-gpu'
    """
    name = name.strip().lower()
    if name.isalnum():
        return name
    name = name.replace("_", "-").replace(".", "-")
    if "--" not in name:
        return name
    parts = name.split("-")
    return "-".join([part for i, part in enumerate(parts) if part or i in (0, len(parts) - 1)])


class Pattern:
    """'acme-*' (distributions) or 'formulas:special.*' (names of a group); * stands for anything."""

    def __init__(self, text: str) -> None:
        short, colon, glob = text.partition(":")
        if colon and short.strip() not in GROUPS:
            raise errors.unknown_group(short.strip(), list(GROUPS))
        self.text = text
        self.short = short.strip() if colon else ""
        self.glob = glob.strip() if colon else normalize(text)
        if not self.glob:
            raise ValueError(errors.bad_switch("plugin switch", text, "'distribution' or 'group:name'"))

    def matches(self, candidate: Candidate, names: Collection[str] = ()) -> bool:
        """Return whether the candidate's distribution, or its name (one of these names) in its group, is meant."""
        if self.short not in ("", candidate.short):
            return False
        names = (names or (candidate.name,)) if self.short else (candidate.distribution.name,)
        return any(glob(self.glob, name) for name in names)


def glob(pattern: str, text: str) -> bool:
    """Return whether the whole text fits, where * is any run of characters.

    >>> glob("special.*", "special.digamma"), glob("a*c*", "abd"), glob("core", "core")
    (True, False, True)
    """
    if "*" not in pattern:
        return pattern == text
    from fnmatch import fnmatchcase  # it needs re

    return fnmatchcase(text, pattern)


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
        for variable in ("WENGERT_DISABLE_PLUGINS", "WENGERT_PREFER"):
            for item in items(environ.get(variable, "")):
                try:
                    if variable == "WENGERT_PREFER":
                        self.prefer(item)
                    else:
                        self.switch(item, "disabled by WENGERT_DISABLE_PLUGINS")
                except ValueError as error:
                    problems.append(f"{variable}: {error}")
        unknown = [name for name in environ if name.startswith(LIKE_SWITCHES) and name not in SWITCHES]
        return problems + [errors.unknown_switch(variable, SWITCHES) for variable in unknown]

    def switch(self, text: str, why_off: str) -> list[Pattern]:
        """Switch what fits off, or on where why_off is ''; nothing changes where an item is wrong (ValueError)."""
        patterns = [Pattern(item) for item in items(text)]
        self._switches += [(pattern, why_off) for pattern in patterns]
        return patterns

    def prefer(self, text: str) -> None:
        """'formulas:exp=dist-a, ...'; nothing changes where an item is wrong (ValueError)."""
        self._choices += [choice_of(item) for item in items(text)]

    def unknown(self, candidates: list[Candidate], rows: Mapping[Candidate, set[str]] | None = None) -> list[str]:
        """A sentence for each item of the switches that fits none of the candidates: it may be misspelt.

        rows: the names that their rows give; None while that is not known, so that a preferred row may have any name.
        """
        problems = []
        for pattern, why in self._switches:
            if not any(pattern.matches(one) for one in candidates):
                variable, short = why.removeprefix("disabled by ") or "enable()", pattern.short
                known = {f"{short}:{one.name}" if short else one.distribution.name
                         for one in candidates if short in ("", one.short)}
                problems.append(errors.unknown_in_switch(variable, pattern.text, sorted(known)))
        for pattern, name in self._choices:
            group = [one for one in candidates if one.short == pattern.short]
            theirs = [one for one in group if one.distribution.name == name]
            if not any(pattern.matches(one) or self._may_have_row(pattern, one, rows) for one in theirs):
                known = {f"{one.short}:{one.name}={one.distribution.name}" for one in theirs or group}
                item = f"{pattern.text}={name}"
                problems.append(errors.unknown_in_switch("WENGERT_PREFER", item, sorted(known)))
        return problems

    def _may_have_row(self, pattern: Pattern, one: Candidate, rows: Mapping[Candidate, set[str]] | None) -> bool:
        if pattern.short not in ROWS_HAVE_NAMES:
            return False
        return rows is None or one not in rows or pattern.matches(one, rows[one] or ("",))

    def leaves_alone(self, section: Section) -> bool:
        """Return whether all entries of a section are in use, as far as that can be told without looking at them."""
        one = section.distribution
        return not self._switches and not one.hidden_by and (one.first_party or not self.first_party_only)

    def name_anything(self) -> bool:
        """Return whether there is an item that may fit no candidate."""
        return bool(self._switches or self._choices)

    def why_off(self, candidate: Candidate) -> str:
        """Why the candidate is disabled; '' if it is not."""
        for pattern, why in reversed(self._switches):
            if pattern.matches(candidate):
                return why
        if self.first_party_only and not candidate.distribution.first_party:
            return "disabled by WENGERT_PLUGINS=off"
        return ""

    def preference(self, candidates: list[Candidate], names: Collection[str] = ()) -> Candidate | None:
        """The one that the user chose among candidates of one name; names: where it is the name of a row."""
        for pattern, distribution in reversed(self._choices):
            for candidate in candidates:
                if candidate.distribution.name == distribution and pattern.matches(candidate, names):
                    return candidate
        return None


def choice_of(item: str) -> tuple[Pattern, str]:
    """'group:name=distribution', taken apart. Raises ValueError for anything else."""
    name, _, distribution = item.partition("=")
    if ":" not in name or not distribution.strip():
        raise ValueError(errors.bad_switch("plugin choice", item, "'group:name=distribution'"))
    return Pattern(name), normalize(distribution)


def items(text: str) -> Sequence[str]:
    """The parts between commas that are not empty."""
    return [item.strip() for item in text.split(",") if item.strip()]
