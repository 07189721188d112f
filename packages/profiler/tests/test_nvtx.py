"""wengert.cuda.nvtx, with stand-ins for the package nvtx and for CuPy's module."""

import importlib.util
import sys
import types

import pytest
import wengert as wg

NAMES = {"nvtx": ["mark", "push_range", "pop_range", "start_range", "end_range"],
         "cupy.cuda.nvtx": ["Mark", "RangePush", "RangePop", "RangeStart", "RangeEnd"]}  # fmt: skip


@pytest.fixture(params=list(NAMES))
def calls(request, monkeypatch):
    """The calls of a library that is there alone, as (its position among NAMES, arguments)."""
    found = []
    for library, names in NAMES.items():
        module = types.ModuleType(library)
        for k, name in enumerate(names):
            setattr(module, name, lambda *args, k=k: found.append((k, *args)) or 7)
        monkeypatch.setitem(sys.modules, library, module if library == request.param else None)
    return found


def test_ranges_and_marks_are_the_librarys(calls):
    nvtx = wg.cuda.nvtx
    assert (nvtx.range_push("a"), nvtx.range_push("b"), nvtx.range_pop(), nvtx.range_pop()) == (0, 1, 1, 0)
    assert nvtx.range_pop() == -1  # none was open
    nvtx.mark("c")
    assert nvtx.range_start("d") == 7
    nvtx.range_end(7)
    assert calls == [(1, "a"), (1, "b"), (2,), (2,), (2,), (0, "c"), (3, "d"), (4, 7)]


def test_a_block_or_a_function_is_a_range(calls):
    with pytest.raises(ZeroDivisionError), wg.cuda.nvtx.range("step {} of {n}", 1, n=2):
        1 / 0  # noqa: B018

    @wg.cuda.nvtx.range("f")
    def f():
        return 3

    assert (f(), f()) == (3, 3)
    assert calls == [(1, "step 1 of 2"), (2,), (1, "f"), (2,), (1, "f"), (2,)]


def test_without_a_library_torchs_error_says_what_to_install(monkeypatch):
    for library in NAMES:
        monkeypatch.setitem(sys.modules, library, None)
    nvtx = wg.cuda.nvtx
    for call in (lambda: nvtx.mark("a"), lambda: nvtx.range_push("a"), nvtx.range_pop, lambda: nvtx.range_start("a")):
        with pytest.raises(RuntimeError, match=r"NVTX functions not installed\. Are you sure you have a CUDA build\?"):
            call()
    with pytest.raises(RuntimeError, match="pip install"), wg.cuda.nvtx.range("a"):
        pass


@pytest.mark.skipif(importlib.util.find_spec("nvtx") is None, reason="the package nvtx is not installed")
def test_with_the_package_nvtx():
    with wg.cuda.nvtx.range("a"):
        wg.cuda.nvtx.range_end(wg.cuda.nvtx.range_start("b"))
    wg.cuda.nvtx.mark("c")
