"""Entries of operations (``op_docs``): all parts are there, arguments exist, examples run, dtypes are true."""

import doctest
import re
import warnings
from functools import partial

import numpy as np
import pytest
import wengert as wg
import wengert_core as wc
from wengert_core import TABLE
from wengert_core.dispatch import op_docs
from wengert_core.dispatch.op_docs import COMMON, LABELS, entries_of_package, entry_of, parameters
from wengert_testing.calls import as_tensors, contiguous
from wengert_testing.samples import CASES

ENTRIES = entries_of_package("wengert_core")
NAMES = sorted(set(ENTRIES) & set(TABLE.ops))
EVERY = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128")  # fmt: skip
BOOL, INTEGRAL, SIGNED, FLOATING, COMPLEX = EVERY[:1], EVERY[1:9], EVERY[5:9], EVERY[9:13], EVERY[13:]
REAL = BOOL + INTEGRAL + FLOATING
ACCEPTED = {  # how the part Dtypes begins: what an operation takes
    "any": EVERY,
    "any but bool": EVERY[1:],
    "any but complex": REAL,
    "any but bool and complex": INTEGRAL + FLOATING,
    "any but complex and float16": tuple(d for d in REAL if d != "float16"),
    "bool": BOOL,
    "bool and integers": BOOL + INTEGRAL,
    "integers": INTEGRAL,
    "signed integers, floating and complex": SIGNED + FLOATING + COMPLEX,
    "integers and floating": INTEGRAL + FLOATING,
    "floating": FLOATING,
    "floating and complex": FLOATING + COMPLEX,
    "complex": COMPLEX,
    "float32 and float64": ("float32", "float64"),
    "float32, float64, complex64 and complex128": ("float32", "float64", *COMPLEX),
    "bfloat16, float32 and float64": ("bfloat16", "float32", "float64"),
    "uint8": ("uint8",),
    "any but float16 and bfloat16": BOOL + INTEGRAL + FLOATING[2:] + COMPLEX,
    "any but complex, float16 and bfloat16": BOOL + INTEGRAL + FLOATING[2:],
    "signed integers and floating": SIGNED + FLOATING,
    "int64": ("int64",),
    "int64 and floating": ("int64", *FLOATING),
    "int64, float32 and float64": ("int64", "float32", "float64"),
    "int64, floating and complex": ("int64", *FLOATING, *COMPLEX),
    "integers, float32, float64 and complex": (*INTEGRAL, "float32", "float64", *COMPLEX),
    "bool, floating and complex": BOOL + FLOATING + COMPLEX,
    "uint8 and floating": ("uint8", *FLOATING),
    "no tensor argument": EVERY,
}
NEEDS_NO_WORD = {"input", "other", "self", *COMMON}
FRAGMENT = re.compile(r"^(What|Which|Who|Whose|Where|When|How|That|The same)\b")


def test_every_entry_belongs_to_an_operation():
    assert sorted(set(ENTRIES) - set(TABLE.ops)) == []


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_has_all_parts(name):
    entry = ENTRIES[name]
    assert entry.sentence.endswith(".")
    assert len(entry.sentence.split()) >= 3
    assert not FRAGMENT.match(entry.sentence)
    assert [label for label in LABELS[1:] if not entry.parts.get(label)] == []
    assert re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", entry.example), "the example does not call it"
    wide = [line for part in (entry.text, entry.example) for line in part.splitlines() if len(line) > 120]
    assert wide == []


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_is_described(name):
    entry = ENTRIES[name]
    names = {parameter.name for parameter in parameters(TABLE.ops[name])}
    assert [argument for argument in entry.arguments if argument not in names] == []
    assert [argument for argument in names if argument not in NEEDS_NO_WORD and not entry.arguments.get(argument)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name):
    examples = doctest.DocTestParser().get_doctest(
        ENTRIES[name].example, {"wg": wg, "wc": wc, "np": np, "F": wg.nn.functional}, name, None, None
    )
    assert examples.examples
    wg.manual_seed(0)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(examples, out=report.append).failed == 0, "".join(report)


def has_array(value, kinds):
    """Whether there is an array among arguments whose dtype is varied."""
    if isinstance(value, (list, tuple)):
        return any(has_array(part, kinds) for part in value)
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds


def takes(op, samples, dtype, kinds):
    """Whether one of the samples runs with arrays of these kinds in the dtype."""
    def tensor_of(array):
        return contiguous(array).to(getattr(wg, dtype)) if array.dtype.kind in kinds else contiguous(array)

    for case, sample in samples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            args, words = as_tensors(sample, tensor_of)
            try:
                op(*case.arguments(args), **words)
            except (RuntimeError, TypeError, ValueError, IndexError):
                continue
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_the_dtypes_are_those_that_are_taken(name):
    words = re.split(r"[;.:]", ENTRIES[name].parts["Dtypes"])[0]
    assert words in ACCEPTED, f"Dtypes must begin with one of {list(ACCEPTED)}"
    kinds = "fc" if {*ACCEPTED[words]} & {*FLOATING, *COMPLEX} else "fciub"  # integers alone: so are its samples
    samples = [(case, sample) for case in CASES if case.op == name for sample in case.samples("float64")
               if has_array((*sample.args, *sample.kwargs.values()), kinds)]
    if samples:
        op = TABLE.ops[name]
        first, others = samples[:4], samples[4:]
        usual, others = ([dtype for dtype in EVERY if takes(op, some, dtype, kinds)] for some in (first, others))
        assert (usual or others) == list(ACCEPTED[words])


def test_every_operation_has_an_entry():
    public = {name for name, op in TABLE.ops.items()
              if not isinstance(op, partial) and not name.endswith("_") and not name.rpartition(".")[2].startswith("_")}
    assert sorted(public - set(ENTRIES)) == []


def test_a_docstring_parses_no_other_file(monkeypatch):
    parsed, real = [], op_docs.parse
    monkeypatch.setattr(op_docs, "parse", lambda *arguments: parsed.append(arguments) or real(*arguments))
    op_docs.chapter.cache_clear()
    assert entry_of(TABLE.ops["sin"]) == ENTRIES["sin"]
    assert entry_of(TABLE.ops["cos"]) == ENTRIES["cos"]
    assert [family for _, family in parsed] == ["pointwise"]


def test_each_entry_is_found_by_its_name():
    assert all(entry_of(TABLE.ops[name]) == ENTRIES[TABLE.ops[name].public_name] for name in NAMES)
