"""One pass over the installed distributions: which wengert.* entry points do they declare? None is imported.

Nothing that is imported before the first lookup may import re, typing, collections or the like: a test looks at
sys.modules. What importlib.metadata would cost says docs/decisions/0024-what-the-registry-is-worth.md.
"""

from __future__ import annotations

import os

from wengert_registry.candidate import FAILED, Candidate, Distribution
from wengert_registry.errors import cause_text
from wengert_registry.rules import KNOWN, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "wengert."
FIRST_PARTY = "wengert.first_party.v1"
"""The group in which each of wengert's own distributions has an entry of its name."""
SEPARATORS = frozenset(" ,:=*")
"""Signs that names do not have: those of the switches, such as 'group:name=distribution'."""
STANDARD = os.path.dirname(os.__file__)
"""The folder of Python's own modules: hundreds of them, and no distribution is installed among them."""


def scan(paths: Iterable[object]) -> list[Distribution]:
    """The distributions below the paths with wengert.* entry points, sorted.

    A distribution that occurs again (by normalized name) is hidden by the first; it is left out altogether where it has
    the same version, as an editable install and the folder it was built from have.
    """
    found: list[Distribution] = []
    first: dict[str, Distribution] = {}
    for one in [one for path in dict.fromkeys(paths) for one in distributions_in(path)]:
        read(one)
        earlier = first.setdefault(one.name, one)
        if earlier is not one:
            withdraw(one, list(one.groups), "shadowed", f"hidden by {earlier}, earlier on sys.path")
        if (one.groups or one.unusable) and (earlier is one or earlier.version != one.version):
            found.append(one)
    return sorted(found, key=lambda one: (one.name, one.version))


def distributions_in(path: object) -> list[Distribution]:
    """The distributions in one folder of sys.path; wheels before eggs."""
    if path in (STANDARD, f"{STANDARD}/lib-dynload"):
        return []
    try:
        base = os.fspath(path) or "."  # type: ignore[call-overload]
        names = [name for name in os.listdir(base) if name.endswith((".dist-info", ".egg-info")) and name[0] != "~"]
    except (OSError, TypeError, ValueError, AttributeError):
        return []  # not a folder, a zip file, or no path at all: nothing to find here
    names.sort(key=lambda name: (name.endswith(".egg-info"), name))
    return [Distribution(*split(name.rpartition(".")[0]), f"{base}/{name}") for name in names]


def split(stem: str) -> tuple[str, str]:
    """Name and version of a metadata folder.

    >>> split("Acme_GPU-1.2"), split("acme.gpu-1.2-py3.11"), split("acme_gpu")
    (('acme-gpu', '1.2'), ('acme-gpu', '1.2'), ('acme-gpu', ''))
    """
    name, _, version = stem.partition("-")
    return normalize(name), version.partition("-")[0]


def read(distribution: Distribution) -> None:
    """Note on a distribution what its entry_points.txt says, if that mentions a group of wengert's."""
    try:
        with open(f"{distribution.folder}/entry_points.txt", "rb", 0) as stream:
            data = stream.read()
        if PREFIX.encode() in data:
            distribution.version = distribution.version or version_inside(distribution.folder)
            sort_out(distribution, data.decode().removeprefix("\ufeff"))  # "utf-8-sig" would have to be imported
    except (OSError, UnicodeDecodeError) as error:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            why = f"entry_points.txt cannot be read: {cause_text(error)}"
            distribution.unusable.append(Candidate(distribution, "?", "?", "", FAILED, why))


def version_inside(folder: str) -> str:
    """The version as the metadata states it, for the folders that do not have it in their name."""
    try:
        with open(f"{folder}/PKG-INFO", encoding="utf-8", errors="replace") as stream:
            return next((line[8:].strip() for line in stream if line[:8].lower() == "version:"), "")
    except OSError:
        return ""


def sort_out(distribution: Distribution, text: str) -> None:
    """Note the entries that can be used by group, those that cannot, and whether it is wengert's own."""
    for group, name, target, problem in parse(text):
        rows = distribution.groups.setdefault(group, {})
        if name in rows:
            problem = problem or f"entry_points.txt gives '{name}' twice; the first counts"
        if problem:
            distribution.unusable.append(Candidate(distribution, group, name, target, FAILED, problem))
        else:
            rows[name] = target
    marker = distribution.groups.pop(FIRST_PARTY, {})
    ours = f"{distribution.name}-".startswith("wengert-")
    distribution.first_party = ours and distribution.name in map(normalize, marker)
    for group in distribution.groups.keys() - KNOWN.keys():
        kin = [other for other in KNOWN if other.rpartition(".")[0] == group.rpartition(".")[0]]
        why = f"group {group} is unknown to this wengert: it is misspelt, or made for another version"
        if kin:
            why = f"made for {group}, but this wengert reads {kin[0]}: install versions that match"
        withdraw(distribution, [group], "incompatible", why)


def withdraw(distribution: Distribution, groups: Iterable[str], state: str, why: str) -> None:
    """Let the entries of these groups be unusable."""
    for group in groups:
        for name, target in distribution.groups.pop(group).items():
            distribution.unusable.append(Candidate(distribution, group, name, target, state, why))


def parse(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(group, name, target, problem) for each line of the wengert.* groups; the other groups are passed over.

    >>> list(parse("[wengert.ops.v1]\\nspecial = wengert_special.ops:TABLE\\n[other]\\nx = y"))
    [('wengert.ops.v1', 'special', 'wengert_special.ops:TABLE', '')]
    """
    group = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            group = line[1:-1].strip() if line[-1] == "]" else ""
            if not group and PREFIX in line:
                yield line.strip("[] "), "?", "", f"entry_points.txt, line {number}, {line!r}: expected '[group]'"
        elif group.startswith(PREFIX):
            name, _, target = line.partition("=")
            name, target = name.rstrip(), target.partition("[")[0].strip()  # extras, deprecated, do not matter
            good = name != "" and name.isprintable() and SEPARATORS.isdisjoint(name)
            good = good and all(map(str.isidentifier, target.replace(":", ".", 1).split(".")))
            form = "" if good else f"entry_points.txt, line {number}, {line!r}: expected 'name = module:object'"
            yield group, name, target, form
