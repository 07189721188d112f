"""A plugin of setuptools that builds all compiled modules of a package into one shared object.

setuptools calls `configure` for every package that it builds where wengert-builder is installed. It acts on those whose
pyproject.toml has a table [tool.wengert-builder]; README.md describes the table and the variables of the environment.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from setuptools import Distribution

__version__ = "0.1.0"


def configure(distribution: Distribution) -> None:
    """Have the shared object built that pyproject.toml of the current folder describes, if it does."""
    file = Path("pyproject.toml")
    tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}) if file.exists() else {}
    if "wengert-builder" not in tools:
        return
    from wengert_builder.command import BuildNative
    from wengert_builder.sources import Sources

    sources = Sources(tools["wengert-builder"])
    distribution.ext_modules = [sources.native()]
    distribution.cmdclass["build_ext"] = type("build_ext", (BuildNative,), {"sources": sources})
