"""Vocabulary: names of functions, classes and modules use the words of docs/vocabulary.md, and none that it retires.

Reads the sources, Python and Cython, with those of tests, benchmarks and examples. A function's name is no participle:
that says neither what is done nor what comes back. Names of tests are sentences, to which no rule applies.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "packages/*/src", "packages/*/tests", "shared/*/src", "shared/*/tests", "tests", "tools", "docs/_ext",
    "docs/examples", "asv_benchmarks/benchmarks",
)  # fmt: skip
EXEMPT = ("__", "test_", "Test")
"""Beginnings of the names that Python and pytest give a meaning."""
DEFINED = re.compile(
    r"^[ \t]*(?:cdef|cpdef|def)[ \t]+(?!extern\b|class\b|struct\b|enum\b|union\b|packed\b)"
    r"(?:[^=(\n]*[\s*])?(\w+)[ \t]*\("
    r"|^[ \t]*(?:cdef|ctypedef)[ \t]+(?:packed[ \t]+)?(?:class|struct|enum)[ \t]+(?:[\w.]+\.)?(\w+)",
    re.MULTILINE,
)
CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
IN_PLACE = re.compile(r"(?:in|out_of)_?place")
IRREGULAR = frozenset(
    "begun bent bitten born borne bought bound broken brought built caught chosen dealt done drawn driven fallen "
    "fed felt flown forbidden forgotten fought found frozen given gone got gotten ground grown heard held hidden "
    "hung kept known laid lain leant led left lent lit lost made meant met overridden paid proven rewritten "
    "ridden risen said seen sent shaken shorn shown shrunk slept sold sought spent spoken sprung spun stolen "
    "stood struck stuck sung sunk swept swollen sworn swung taken taught thought thrown told torn unbound undone "
    "woken won worn wound woven written".split()
)
PREPOSITIONS = frozenset(
    "above again apart as at away back behind below beside between by down for from here in inside into of off on "
    "onto out over there through to together under up with".split()
)
REGULAR = re.compile(r"[a-z]{2,}[a-df-z]ed|freed")
NO_PARTICIPLES = frozenset(
    "bed embed exceed feed hundred indeed naked need proceed red sacred seed shed sped speed succeed wed".split()
)
EXCEPTIONS = {
    "asv_benchmarks.benchmarks.profiler.Recorded": "a name in stored results of asv",
    "packages.cuda.tests.fake_cupy.done": "cupy.cuda.Event.done",
    "wengert_compat.jit.unused": "torch.jit.unused",
    "wengert_compat.jit_modules.done": "torch.jit.Future.done",
    "wengert_nn.utils.parametrize.cached": "torch.nn.utils.parametrize.cached",
    "wengert_core.binding.checked_methods.checked": "a name of wengert_core.extend",
    "wengert_core.api.copy_pickle.rebuild_elsewhere": "in pickles that users keep",
    "wengert_core.api.typed_storage.untyped": "torch.TypedStorage.untyped",
    "wengert_core.api.untyped_storage.untyped": "torch.UntypedStorage.untyped",
    "wengert_core.ops.index.searching.searchsorted": "torch.searchsorted",
    "wengert_core.optable.kinds.array.staged": "a method of OpTable, for plugins",
    "wengert_core.optable.kinds.view.placing": "a method of OpTable, for plugins",
    "wengert_numpy.array_api.searching.searchsorted": "a name of the array API standard",
    "wengert_numpy.functions.index.assignment.place": "numpy.place",
    "wengert_numpy.functions.reduce.sorting.searchsorted": "numpy.searchsorted",
    "wengert_engine.observe.event_buffer.started": "an attribute of a recording that tools read",
    "wengert_distributed.interface.future.done": "torch.futures.Future.done",
    "wengert_formulas.batching.calls.call.expanded": "a method of Call, for plugins",
    "wengert_graph.memory.Held": "a type of rows that users get",
    "wengert_graph.walking.Saved": "a type of values that users get",
    "wengert_graph.walking.released": "an attribute of a step that users read",
    "wengert_graph.walking.saved": "an attribute of a step that users read",
    "wengert_profiler.api.record_function.carried": "wengert.profiler.carried",
    "wengert_registry.claims.Place": "the registry's own: where names are mounted",
    "wengert_testing.case.Fixed": "a name of wengert_testing.extend",
    "wengert_testing.case.fixed": "a name of wengert_testing.extend",
}
"""Names that stay, with the reason."""


@cache
def terms() -> dict[str, str]:
    """The words of the table of docs/vocabulary.md, with the field's terms."""
    text = (ROOT / "docs/vocabulary.md").read_text(encoding="utf-8")
    block = re.search(r"^```retired\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block, "docs/vocabulary.md has no table of retired words"
    return dict(re.split(r" {2,}", line, maxsplit=1) for line in block[1].splitlines())


def names_in(source: str, suffix: str) -> Iterator[str]:
    """Names of the functions and classes that a source defines, those inside of others too."""
    if suffix == ".py":
        yield from definitions(ast.parse(source))
    else:
        yield from (function or kind for function, kind in DEFINED.findall(source))


def definitions(block: ast.AST) -> Iterator[str]:
    """Names that the statements inside of one define. Expressions, most of a tree, hold no definitions."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(block, field, ()):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name
            yield from definitions(node)


def parts(name: str) -> list[str]:
    """The words of a name; what happens in place has no place."""
    return IN_PLACE.sub("inplace", CAPITALS.sub("_", name).lower()).strip("_").split("_")


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word not in NO_PARTICIPLES and REGULAR.fullmatch(word) is not None)


@cache
def fault(name: str) -> str:
    """What is wrong with the name of a function or class, for a message; '' for nothing."""
    words = parts(name)
    for word in words:
        if word in terms():
            return f"{word!r} is retired: {terms()[word]}"
    if is_participle(words[0]) and (len(words) == 1 or words[1] in PREPOSITIONS):
        return "a participle: use a verb, or the noun of what it returns"
    return ""


def module_of(file: Path) -> str:
    dotted = ".".join(file.with_suffix("").parts)
    return dotted.partition(".src.")[2] or dotted


def faults(source: str, suffix: str, module: str) -> dict[str, str]:
    """Wrong names of a module by their full names, with what is wrong; its own name as well."""
    found = {f"{module}.{name}": fault(name) for name in names_in(source, suffix) if not name.startswith(EXEMPT)}
    last = module.removesuffix(".__init__").rpartition(".")[2]
    words = [] if last.startswith(EXEMPT) else parts(last)
    found[module] = next((f"{word!r} is retired: {terms()[word]}" for word in words if word in terms()), "")
    return {name: why for name, why in found.items() if why}


def sources() -> list[Path]:
    files = (file for pattern in FOLDERS for folder in ROOT.glob(pattern) for file in folder.rglob("*"))
    return sorted(file for file in files if file.suffix in {".py", ".pyx", ".pxd", ".pxi"})


def test_names_use_the_vocabulary() -> None:
    files = sources()
    assert len(files) > 1200
    found: dict[str, str] = {}
    for file in files:
        found |= faults(file.read_text(encoding="utf-8"), file.suffix, module_of(file.relative_to(ROOT)))
    wrong = {name: why for name, why in found.items() if name not in EXCEPTIONS}
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in sorted(wrong.items()))
    assert set(EXCEPTIONS) <= set(found), f"no exceptions any more: {sorted(set(EXCEPTIONS) - set(found))}"


PYTHON = """
class Placed:
    def given(self): ...

async def taken_by(x):
    def spread_rows(): ...

def in_place_of(): ...
def write_inplace(): ...
def checked_index(): ...
def embed(): ...
def seed(): ...
def __annotated__(): ...
def test_given_places(): ...
class TestPlaces: ...
"""
CYTHON = """
cdef struct Held:
    int told
cdef class Elsewhere:
    cdef PyObject** place(self, int i) except NULL
cdef inline int guarded(Op op, PyObject** slots) except -1:
    given = told(op)
def sorted_pair(x, found=(1, 2)): ...
cpdef object _recorded(x):
"""


@pytest.mark.parametrize(
    ("source", "suffix", "wrong"),
    [
        (PYTHON, ".py", {"Placed", "given", "taken_by", "spread_rows"}),
        (CYTHON, ".pyx", {"Held", "Elsewhere", "place", "guarded", "_recorded"}),
    ],
)
def test_the_check_finds_private_words_and_participles(source: str, suffix: str, wrong: set[str]) -> None:
    assert {name.rpartition(".")[2] for name in faults(source, suffix, "acme.module")} == wrong


def test_the_check_looks_at_names_of_modules() -> None:
    assert set(faults("", ".py", "acme.places")) == {"acme.places"}
    assert set(faults("", ".py", "acme.misfits.__init__")) == {"acme.misfits.__init__"}
    assert faults("", ".py", "acme.inplace") == {}
    assert faults("", ".py", "tests.test_places") == {}


def test_each_retired_word_has_a_term() -> None:
    assert len(terms()) >= 20
    assert all(term.strip() for term in terms().values())
    assert all(re.fullmatch(r"[a-z]+", word) for word in terms())
