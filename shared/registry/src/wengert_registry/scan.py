"""One pass over the installed distributions: which wengert.* entry points do they declare? None is imported.

Note [Composing is cheap]
Reading every entry_points.txt takes about 10 microseconds a distribution; `import importlib.metadata` alone takes 20
milliseconds, because it pulls in email, zipfile and re. So this package scans by itself, and nothing that is imported
before the first lookup may import re, typing, collections, inspect, json or the like. A test looks at sys.modules.
"""

from __future__ import annotations

import os

from wengert_registry import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "wengert."
FIRST_PARTY = "wengert.first_party.v1"  # Note [First party] in rules.py
STANDARD = os.path.dirname(os.__file__)
"""The folder of Python's own modules: hundreds of them, and no distribution is installed among them."""


class Distribution:
    """An installed distribution (its metadata folder), or the owner of an in-process registration (no folder)."""

    __slots__ = ("first_party", "folder", "hidden_by", "name", "version")

    def __init__(self, name: str, version: str = "", folder: str = "") -> None:
        self.name: str = name  # normalised: 'acme-gpu'
        self.version: str = version  # '' where unknown
        self.folder: str = folder
        self.first_party: bool = False
        self.hidden_by: Distribution | None = None  # one of the same name, earlier on sys.path

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()

    def __repr__(self) -> str:
        return f"<Distribution {self}>"


class Entry:
    """One line of an entry_points.txt; problem says what is wrong with it, '' if nothing is."""

    __slots__ = ("distribution", "group", "name", "problem", "target")

    def __init__(self, distribution: Distribution, group: str, name: str, target: str, problem: str) -> None:
        self.distribution, self.group, self.name = distribution, group, name
        self.target, self.problem = target, problem


def scan(paths: Iterable[object]) -> list[Entry]:
    """Every wengert.* entry point below the paths, sorted by group, name and distribution.

    A distribution that occurs again (by normalised name) is hidden by the first; it is left out altogether where it has
    the same version, as an editable install and the folder it was built from have.
    """
    found: list[Entry] = []
    first: dict[str, Distribution] = {}
    for path in dict.fromkeys(paths):
        if path in (STANDARD, f"{STANDARD}/lib-dynload"):
            continue
        for folder, name, version in _metadata_folders(path):
            text, problem = _read(folder + "/entry_points.txt")
            distribution = Distribution(name, version, folder)
            if text or problem:
                distribution.version = version or _version_inside(folder)
            earlier = first.setdefault(name, distribution)
            if earlier is not distribution:
                if earlier.version == distribution.version:
                    continue
                distribution.hidden_by = earlier
            if problem:
                found.append(Entry(distribution, "?", "?", "", problem))
            found.extend(_entries(distribution, text))
    found.sort(key=lambda entry: (entry.group, entry.name, entry.distribution.name, entry.distribution.version))
    return found


def _metadata_folders(path: object) -> list[tuple[str, str, str]]:
    """(folder, normalised name, version) of each distribution in one folder of sys.path; wheels before eggs."""
    try:
        base = os.fspath(path)  # type: ignore[call-overload]
        names = [name for name in os.listdir(base or ".") if name.endswith((".dist-info", ".egg-info"))]
    except (OSError, TypeError, ValueError, AttributeError):
        return []  # not a folder, a zip file, or no path at all: nothing to find here
    names.sort(key=lambda name: (name.endswith(".egg-info"), name))
    return [(f"{base or '.'}/{name}", *split(name.rpartition(".")[0])) for name in names if name[0] != "~"]


def split(stem: str) -> tuple[str, str]:
    """Name and version of a metadata folder.

    >>> split("Acme_GPU-1.2"), split("acme.gpu-1.2-py3.11"), split("acme_gpu")
    (('acme-gpu', '1.2'), ('acme-gpu', '1.2'), ('acme-gpu', ''))
    """
    at = stem.find("-")
    while at >= 0 and not stem[at + 1 : at + 2].isdigit():
        at = stem.find("-", at + 1)
    if at < 0:
        return normalise(stem), ""
    return normalise(stem[:at]), stem[at + 1 :].partition("-py")[0]


def normalise(name: str) -> str:
    """The one spelling of a distribution's name, as package indexes compare them.

    >>> normalise("Acme_.GPU")
    'acme-gpu'
    """
    name = name.strip().lower()
    if name.isalnum():
        return name
    name = name.replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


def _read(file: str) -> tuple[str, str]:
    """The text of a file that mentions a wengert group, and what is wrong with it; '' for any other."""
    try:
        data = _contents(file)
        # the codec "utf-8-sig" would have to be imported
        return (data.decode().removeprefix("\ufeff"), "") if PREFIX.encode() in data else ("", "")
    except (FileNotFoundError, NotADirectoryError):
        return "", ""
    except (OSError, UnicodeDecodeError) as error:
        return "", f"entry_points.txt cannot be read: {errors.cause_text(error)}"


def _contents(file: str) -> bytes:
    """The bytes of a file; a third of the time that an object for it costs, which counts with a hundred files."""
    number = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        parts = []
        while part := os.read(number, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(number)


def _version_inside(folder: str) -> str:
    """The version as the metadata states it, for the folders that do not have it in their name."""
    for file in ("/METADATA", "/PKG-INFO"):
        try:
            with open(folder + file, encoding="utf-8", errors="replace") as stream:
                for line in stream:
                    key, _, value = line.partition(":")
                    if key.lower() == "version":
                        return value.strip()
        except OSError:
            continue
    return ""


def _entries(distribution: Distribution, text: str) -> Iterator[Entry]:
    """The entries of one file; the marker group is noted on the distribution and not listed."""
    seen = set()
    for group, name, target, problem in parse(text):
        if group == FIRST_PARTY:
            ours = distribution.name == "wengert" or distribution.name.startswith("wengert-")
            distribution.first_party |= ours and normalise(name) == distribution.name
            continue
        again = f"entry_points.txt gives '{name}' twice; the first counts" if (group, name) in seen else ""
        seen.add((group, name))
        yield Entry(distribution, group, name, target, problem or again)


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
                yield line.strip("[] "), "?", "", errors.malformed(number, line, "'[group]'")
        elif group.startswith(PREFIX):
            name, _, target = line.partition("=")
            name, target = name.strip(), target.partition("[")[0].strip()  # extras, deprecated, do not matter
            good = _is_name(name) and _is_target(target)
            yield group, name, target, "" if good else errors.malformed(number, line, "'name = module:object'")


def _is_name(name: str) -> bool:
    """Can the name be written in the switches, such as 'group:name=distribution'?"""
    return bool(name) and name.isprintable() and not any(sign in name for sign in " ,:=*")


def _is_target(target: str) -> bool:
    module, colon, attributes = target.partition(":")
    parts = module.split(".") + (attributes.split(".") if colon else [])
    return all(part.isidentifier() for part in parts)
