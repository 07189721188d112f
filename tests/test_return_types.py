"""The types of results with several parts are names of a module, as in PyTorch: ``wengert.return_types``."""

import subprocess
import sys

import pytest
import wengert as wg


def test_a_type_of_results_can_be_imported() -> None:
    import wengert.return_types as module
    from wengert.return_types import sort

    assert module is wg.return_types
    assert type(wg.sort(wg.tensor([2, 1]))) is sort


def test_an_absent_type_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="cannot import name 'absent'"):
        from wengert.return_types import absent  # noqa: F401


def test_the_module_can_be_imported_first() -> None:
    program = "from wengert.return_types import topk; print(topk.__match_args__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "('values', 'indices')\n"
