"""Sphinx's settings. `make docs` builds the site into docs/_build/html, and a warning is an error."""

import os
import sys
import tomllib
from pathlib import Path

# Read the modules, not stubs: the modules of a package share one file, and autodoc looks for a stub beside that.
os.environ["SPHINX_AUTODOC_IGNORE_NATIVE_MODULE_TYPE_STUBS"] = "1"

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent)]

import performance  # noqa: E402 - found by the line above
from pygments.lexers.special import TextLexer  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

project = "wengert"
author = "The wengert developers"
copyright = author
with (DOCS.parent / "packages" / "wengert" / "pyproject.toml").open("rb") as settings:
    release = tomllib.load(settings)["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "generated", "plain_docstrings"]
exclude_patterns = ["_build"]
nitpicky = False

myst_heading_anchors = 3

autodoc_member_order = "alphabetical"
autodoc_typehints = "none"
autosummary_generate = False

html_theme = "furo"
html_static_path = ["_static"]  # trace.html, its example and pictures
html_extra_path = [str(performance.PARENT)] if performance.PARENT.exists() else []  # asv's site, by make bench-publish
html_title = f"wengert {release}"
html_show_sourcelink = False
pygments_style = "tango"


def setup(app: Sphinx) -> None:
    """Show blocks marked `rooms` and `retired`, which tests of tests/architecture read, as plain text."""
    app.add_lexer("rooms", TextLexer)
    app.add_lexer("retired", TextLexer)
