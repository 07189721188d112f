"""One pass over the installed distributions: which wengert.* entry points do they declare? None is imported.

Note [Composing is cheap]
Reading every entry_points.txt takes about 10 microseconds a distribution; `import importlib.metadata` alone takes 20
milliseconds, because it pulls in email, zipfile and csv: 100 million instructions beside NumPy, where importing this
package and composing take 21. So it scans by itself, and nothing that is imported before the first lookup may import
re, typing, collections, inspect, json or the like. A test looks at sys.modules.
"""

from __future__ import annotations

import os

from wengert_registry import errors
from wengert_registry.candidate import FAILED, Candidate, Distribution
from wengert_registry.entries import PREFIX, parse, plain_groups
from wengert_registry.offers import Section
from wengert_registry.rules import FIRST_PARTY, KNOWN, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STANDARD = os.path.dirname(os.__file__)
"""The folder of Python's own modules: hundreds of them, and no distribution is installed among them."""


def scan(paths: Iterable[object]) -> tuple[list[Section], list[Candidate]]:
    """Every wengert.* entry point below the paths: what can be used, by distribution and group, and what cannot.

    A distribution that occurs again (by normalized name) is hidden by the first; it is left out altogether where it has
    the same version, as an editable install and the folder it was built from have.
    """
    sections: list[Section] = []
    unusable: list[Candidate] = []
    first: dict[str, Distribution] = {}
    for path in dict.fromkeys(paths):
        for folder, name, version in metadata_folders(path):
            text, problem = read(folder + "/entry_points.txt")
            distribution = Distribution(name, version, folder)
            if text or problem:
                distribution.version = version or version_inside(folder)
            earlier = first.setdefault(name, distribution)
            if earlier is not distribution:
                if earlier.version == distribution.version:
                    continue
                distribution.hidden_by = earlier
            if problem:
                unusable.append(Candidate(distribution, "?", "?", "", problem, FAILED))
            elif text:
                usable, others = collect(distribution, text)
                sections += usable
                unusable += others
    sections.sort(key=lambda one: (one.distribution.name, one.distribution.version))
    unusable.sort(key=lambda one: (one.group, one.name, one.distribution.name, one.distribution.version))
    return sections, unusable


def metadata_folders(path: object) -> list[tuple[str, str, str]]:
    """(folder, normalized name, version) of each distribution in one folder of sys.path; wheels before eggs."""
    if path in (STANDARD, f"{STANDARD}/lib-dynload"):
        return []
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
    name, _, version = stem.partition("-")
    if version[:1].isdigit() and "-" not in version:
        return normalize(name), version  # a wheel's
    parts = stem.split("-")
    at = next((i for i, part in enumerate(parts) if i and part[:1].isdigit()), len(parts))
    return normalize("-".join(parts[:at])), "-".join(parts[at:]).partition("-py")[0]


def read(file: str) -> tuple[str, str]:
    """The text of a file that mentions a wengert group, and what is wrong with it; '' for any other."""
    try:
        with open(file, "rb", 0) as stream:
            data = stream.read()
        # the codec "utf-8-sig" would have to be imported
        return (data.decode().removeprefix("\ufeff"), "") if PREFIX.encode() in data else ("", "")
    except (FileNotFoundError, NotADirectoryError):
        return "", ""
    except (OSError, UnicodeDecodeError) as error:
        return "", f"entry_points.txt cannot be read: {errors.cause_text(error)}"


def version_inside(folder: str) -> str:
    """The version as the metadata states it, for the folders that do not have it in their name."""
    for file in ("/METADATA", "/PKG-INFO"):
        try:
            with open(folder + file, encoding="utf-8", errors="replace") as stream:
                lines = [line for line in stream if line[:8].lower() == "version:"]
        except OSError:
            continue
        if lines:
            return lines[0][8:].strip()
    return ""


def collect(distribution: Distribution, text: str) -> tuple[list[Section], list[Candidate]]:
    """The entries of one file by group, and those that cannot be used; the marker is noted on the distribution."""
    plain = plain_groups(text)
    groups, unusable = sort_out(distribution, text) if plain is None else (plain, [])
    marker = groups.pop(FIRST_PARTY, {})
    ours = distribution.name == "wengert" or distribution.name.startswith("wengert-")
    distribution.first_party = ours and any(normalize(name) == distribution.name for name in marker)
    return [Section(distribution, group, rows) for group, rows in groups.items() if rows], unusable


def sort_out(distribution: Distribution, text: str) -> tuple[dict[str, dict[str, str]], list[Candidate]]:
    """The targets by group and name, and the entries that are malformed or of unknown groups."""
    groups: dict[str, dict[str, str]] = {}
    unusable, seen = [], set()
    for group, name, target, problem in parse(text):
        if group != FIRST_PARTY:
            if (group, name) in seen:
                problem = problem or f"entry_points.txt gives '{name}' twice; the first counts"
            seen.add((group, name))
            why = problem or ("" if group in KNOWN else errors.incompatible(group, list(KNOWN)))
            if why:
                unusable.append(Candidate(distribution, group, name, target, why, FAILED if problem else ""))
                continue
        groups.setdefault(group, {})[name] = target
    return groups, unusable
