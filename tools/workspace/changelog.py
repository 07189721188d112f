"""Compose the changelog from the packages' fragments: changes/TITLE.KIND.md in each package, KIND as in KINDS.

    python3 -m tools.workspace.changelog             print the Markdown text
    python3 -m tools.workspace.changelog --check     print only faults of fragments; exit code 1 if there are any

A fragment is Markdown without a heading that says what a user sees.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.workspace.packages import ROOT, Package, packages

KINDS = {"feature": "New", "perf": "Faster", "fix": "Fixed", "removal": "Removed"}


@dataclass(frozen=True)
class Fragment:
    """One change of one package."""

    package: str
    title: str
    kind: str
    text: str


def faults(package: Package) -> list[str]:
    """What is wrong with the names and texts of a package's fragments."""
    found = []
    for file in sorted((package.folder / "changes").glob("*")):
        name, _, kind = file.stem.rpartition(".")
        text = file.read_text(encoding="utf-8")
        if file.suffix != ".md" or kind not in KINDS or not name:
            kinds = ", ".join(KINDS)
            found.append(f"{file.relative_to(ROOT)}: the name should be short-title.KIND.md, KIND one of {kinds}")
        elif not text.strip() or text.lstrip().startswith("#"):
            found.append(f"{file.relative_to(ROOT)}: should hold text without a heading")
    return found


def fragments(package: Package) -> list[Fragment]:
    """A package's fragments, by kind and title."""
    found = []
    for kind in KINDS:
        for file in sorted((package.folder / "changes").glob(f"*.{kind}.md")):
            text = file.read_text(encoding="utf-8").strip()
            found.append(Fragment(package.name, file.name.removesuffix(f".{kind}.md"), kind, text))
    return found


def section(package: Package) -> list[str]:
    """The part of the changelog about one package; empty when nothing changed."""
    lines = []
    some = fragments(package)
    for kind, heading in KINDS.items():
        texts = [fragment.text for fragment in some if fragment.kind == kind]
        if texts:
            lines += [f"**{heading}**", "", *[f"{bullet(text)}\n" for text in texts]]
    return [f"### {package.name}", "", *lines] if lines else []


def bullet(text: str) -> str:
    """A fragment as an item of a list."""
    first, *rest = text.splitlines()
    return "\n".join([f"- {first}", *[f"  {line}" if line else "" for line in rest]])


def compose(root: Path = ROOT) -> str:
    """The changelog: the version under way, a section for each package that changed."""
    some = packages(root)
    versions = sorted({package.settings["project"]["version"] for package in some})
    lines = [f"## {', '.join(versions)}", ""]
    for package in reversed(some):  # what users import first
        lines += section(package)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="changelog", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="say what is wrong with the fragments, print no text")
    wrong = [fault for package in packages() for fault in faults(package)]
    if not parser.parse_args().check:
        print(compose())
    for fault in wrong:
        print(f"changelog: {fault}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
