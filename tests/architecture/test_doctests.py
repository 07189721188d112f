"""Every example in a docstring (of Python and of compiled modules) and in a Markdown page shows what really happens.

In Markdown the examples are the fenced blocks with prompts (```pycon or ```python); those of a page run as one session.
"""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from wengert_core import TABLE

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(?:pycon|python)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "packages/*/README.md", "shared/*/README.md")
    for page in ROOT.glob(pattern)
    if "_build" not in page.parts
)


def module_names() -> list[str]:
    """All modules of the packages of this repository, those of subpackages too."""
    sources = sorted(ROOT.glob("packages/*/src/*/__init__.py")) + sorted(ROOT.glob("shared/*/src/*/__init__.py"))
    names = []
    for source in sources:
        top = source.parent.name
        found = pkgutil.walk_packages([str(source.parent)], f"{top}.", onerror=lambda name: None)
        names += [top, *(module.name for module in found if not module.name.endswith("__main__"))]
        compiled = sorted(source.parent.rglob("*.pyx"))  # which stand in one shared object
        names += [".".join(file.relative_to(source.parents[1]).with_suffix("").parts) for file in compiled]
    return names


def page_session(text: str) -> str:
    """The examples of a Markdown page, with line numbers kept and everything else blanked."""
    lines = [""] * (text.count("\n") + 1)
    for match in FENCE.finditer(text):
        if ">>>" in match[1]:
            first = text.count("\n", 0, match.start(1))
            block = match[1].splitlines()
            lines[first : first + len(block)] = block
    return "\n".join(lines)


def failures(test: doctest.DocTest) -> str:
    """What a run of one doctest reports; empty if all examples do as shown."""
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    return "".join(report)


def is_entry(test: doctest.DocTest) -> bool:
    """Whether it is the entry of an operation, as a method: tests/ops/test_documentation.py runs these."""
    _, of_tensor, name = test.name.rpartition(".Tensor.")
    return bool(of_tensor) and name.removesuffix("_") in TABLE.ops


@pytest.mark.parametrize("name", module_names())
def test_docstrings_of(name: str) -> None:
    module = importlib.import_module(name)
    found = [test for test in doctest.DocTestFinder().find(module, name) if not is_entry(test)]
    report = "".join(map(failures, found))
    if report:
        pytest.fail(report, pytrace=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of(page: Path) -> None:
    text = page_session(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report = failures(test)
    if report:
        pytest.fail(report, pytrace=False)
