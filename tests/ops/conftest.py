"""The formulas are registered where their package is not installed (a source tree on PYTHONPATH)."""

from __future__ import annotations

import warnings

import pytest
from wengert_registry import registry


@pytest.fixture(scope="session", autouse=True)
def formulas():
    group = registry.group("formulas")
    if group.find("core") is not None:
        yield
        return
    from wengert_formulas import load

    with group.register("core", load(), owner="tests/ops"):
        yield


@pytest.fixture(autouse=True)
def expected_warnings(request):
    """A warning that a case's op always gives is no error here."""
    case = getattr(request.node, "callspec", None) and request.node.callspec.params.get("case")
    with warnings.catch_warnings():
        if case is not None and case.warns:
            warnings.filterwarnings("ignore", message=case.warns)
        yield
