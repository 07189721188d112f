"""The text of an entry_points.txt, taken apart: line by line, or all at once where it is as build tools write it."""

from __future__ import annotations

from wengert_registry import errors
from wengert_registry.rules import FIRST_PARTY, KNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Entry = tuple[str, str, str, str]  # group, name, target, and what is wrong with the line

PREFIX = "wengert."


def parse(text: str) -> Iterator[Entry]:
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
                yield line.strip("[] "), "?", "", errors.bad_line(number, line, "'[group]'")
        elif group.startswith(PREFIX):
            name, _, target = line.partition("=")
            name, target = name.strip(), target.partition("[")[0].strip()  # extras, deprecated, do not matter
            good = is_name(name) and is_target(target)
            yield group, name, target, "" if good else errors.bad_line(number, line, "'name = module:object'")


def is_name(name: str) -> bool:
    """Return whether the name can be written in the switches, such as 'group:name=distribution'."""
    return bool(name) and name.isprintable() and not any(sign in name for sign in " ,:=*")


def is_target(target: str) -> bool:
    """Return whether the text is 'module' or 'module:object'."""
    return target.count(":") < 2 and all(part.isidentifier() for part in target.replace(":", ".").split("."))


def plain_groups(text: str) -> dict[str, dict[str, str]] | None:
    """The targets by group and name that `parse` finds in a file with nothing but plain lines; None for any other file.

    Note [Hundreds of entry points]
    Each package of wengert declares every module and function that it gives, so that an import of wengert reads
    hundreds of lines, of which a program uses ten. `parse` takes 22,000 instructions for a line. This function takes
    5,000: it lets methods of bytes and str look at whole groups, and gives up where a line could mean anything else, as
    a comment, a blank or an unknown group does. Candidates are made of the names that are asked for.

    >>> plain_groups("[wengert.ops.v1]\\nspecial = wengert_special.ops:TABLE\\n[other]\\nx = y")
    {'wengert.ops.v1': {'special': 'wengert_special.ops:TABLE'}}
    >>> plain_groups("[wengert.ops.v1]\\nspecial=wengert_special.ops:TABLE")
    """
    groups: dict[str, dict[str, str]] = {}
    before, *parts = f"\n{text}".split("\n[")
    if before.strip():
        return None
    for part in parts:
        group, end, body = part.partition("]\n")
        if end and group not in groups and (group in KNOWN or group == FIRST_PARTY):
            rows = plain_rows(body.strip("\n"))
            if rows is None:
                return None
            groups[group] = rows
        elif PREFIX in part:
            return None
    return groups


PLAIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
"""Signs that names consist of; those of modules and objects have no hyphens."""
SHAPE = bytes.maketrans(b" :\n123456789-", b"..." + b"0" * 10)
"""Writes what separates parts of names as a dot, and what none begins with as a zero."""


def plain_rows(body: str) -> dict[str, str] | None:
    """The targets by name of a group whose lines are 'name = module' or 'name = module:object'; None for any other."""
    if not body:
        return {}
    data, words = body.encode(), body.split()
    names, signs, targets = words[::3], words[1::3], words[2::3]
    between = data.translate(None, PLAIN) + b"\n"
    shape = b".%b." % data.translate(SHAPE)
    if (
        not len(names) == len(targets) == signs.count("=") == data.count(b"\n") + 1
        or between.replace(b" = :\n", b"").replace(b" = \n", b"")
        or b".." in shape
        or b".0" in shape
        or ("-" in body and "-" in "".join(targets))
    ):
        return None
    rows = dict(zip(names, targets, strict=True))
    return rows if len(rows) == len(names) else None
