"""Text of tensors, against what torch 2.13 answered (recorded/printing.jsonl, by tools/record/printing.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from wengert_core.api import printing
from wengert_testing.recorded import read_answers

RECORDING = read_answers(Path(__file__).parent / "recorded" / "printing.jsonl")
CASES: list[dict[str, Any]] = [{**entry.question, "text": entry.answer} for entry in RECORDING.entries]


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    printing.set_printoptions(profile="default")


def array_of(case: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The recorded elements on the host; bfloat16 rounded, then given as float32."""
    values = np.array([complex(*v) if isinstance(v, list) else v for v in case["values"]])
    with np.errstate(over="ignore"):
        if case["dtype"] == "bfloat16":
            values = values.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)
        else:
            values = values.astype(case["dtype"])
    return np.resize(values, case["shape"])


def text_of(case: dict[str, Any], array: np.ndarray[Any, Any], **rest: Any) -> str:
    return printing.format_tensor(
        array,
        dtype=case["dtype"],
        default_dtype=case.get("default_dtype", "float32"),
        requires_grad=case.get("requires_grad", False),
        grad_fn_name=case.get("grad_fn"),
        **rest,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['dtype']}-{c['shape']}".replace(" ", ""))
def test_prints_as_torch(case: dict[str, Any]) -> None:
    printing.set_printoptions(**case.get("options", {}))
    array = array_of(case)
    assert text_of(case, array) == case["text"]
    strided = np.repeat(array[..., None], 2, axis=-1)[..., 0]
    assert text_of(case, strided) == case["text"]


def test_the_record_is_whole() -> None:
    assert len(CASES) >= 150
    dtypes = {case["dtype"] for case in CASES}
    assert {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16"} <= dtypes
    assert {"float32", "float64", "complex64", "complex128"} <= dtypes
    assert {key for case in CASES for key in case.get("options", {})} == {*printing.get_printoptions(), "profile"}


@pytest.mark.parametrize("case", [c for c in CASES if np.prod(c["shape"]) > 1000], ids=lambda c: str(c["shape"]))
def test_the_shown_part_is_enough(case: dict[str, Any]) -> None:
    printing.set_printoptions(**case.get("options", {}))
    positions = printing.visible_positions(case["shape"])
    array = array_of(case)
    part = array if positions is None else array[np.ix_(*positions)]
    assert text_of(case, part, shape=case["shape"]) == case["text"]


class CountingArray(np.ndarray[Any, Any]):
    """Knows the largest number of elements that were copied out of it at once."""

    largest = 0

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        CountingArray.largest = max(CountingArray.largest, part.size)
        return part.view(np.ndarray)

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("the whole array was converted")

    ravel = tolist = astype


def test_only_the_shown_elements_are_read() -> None:
    CountingArray.largest = 0
    array = np.broadcast_to(np.float32(0.5), (10**7,)).view(CountingArray)
    text = printing.format_tensor(array, dtype="float32")
    assert text == "tensor([0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000])"
    assert CountingArray.largest == 6


def test_device_size_and_notes_come_in_torchs_order() -> None:
    text = printing.format_tensor(
        np.zeros((0, 2), np.float16), dtype="float16", device="cuda:0", requires_grad=True, notes=["tangent=tensor([])"]
    )
    assert text == (
        "tensor([], device='cuda:0', size=(0, 2), dtype=torch.float16,\n       requires_grad=True, tangent=tensor([]))"
    )


def test_options_are_kept_and_sci_mode_is_reset() -> None:
    printing.set_printoptions(precision=2, edgeitems=1)
    printing.set_printoptions(sci_mode=True, linewidth=60)
    expected = {"precision": 2, "threshold": 1000, "edgeitems": 1, "linewidth": 60, "sci_mode": True}
    assert printing.get_printoptions() == expected
    printing.set_printoptions(precision=3)
    assert printing.get_printoptions() == expected | {"precision": 3, "sci_mode": None}
    printing.set_printoptions(profile="short", precision=7)
    assert printing.get_printoptions() == printing.PROFILES["short"]._replace(precision=7)._asdict()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"precision": "a"}, TypeError, "precision must be an int, got str"),
        ({"precision": -1}, ValueError, "precision must not be negative, got -1"),
        ({"edgeitems": 1.5}, TypeError, "edgeitems must be an int, got float"),
        ({"linewidth": "x"}, TypeError, "linewidth must be an int"),
        ({"threshold": "x"}, TypeError, "threshold must be a number, got 'x'"),
        ({"threshold": float("nan")}, TypeError, "threshold must be a number, got nan"),
        ({"profile": "nope"}, ValueError, "profile must be one of default, short, full, got 'nope'"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    before = printing.get_printoptions()
    with pytest.raises(error, match=words):
        printing.set_printoptions(**options)
    assert printing.get_printoptions() == before


@pytest.mark.parametrize(
    ("value", "spec", "text"),  # asked of torch.tensor(value) by hand
    [
        (2.5, ".2f", "2.50"),
        (2.5, "", "2.5"),
        (2.5, ">10", "       2.5"),
        (np.float32(0.1), "", "0.10000000149011612"),
        (np.int64(3), ".2f", "3.00"),
        (3, "d", "3"),
        (np.bool_(True), "", "True"),
        (True, ">10", "         1"),
        (1 + 2j, ".2f", "1.00+2.00j"),
        (np.complex64(1 + 2j), "", "(1+2j)"),
    ],
)
def test_format_of_a_scalar(value: Any, spec: str, text: str) -> None:
    assert printing.format_scalar(value, spec) == text


@pytest.mark.parametrize(("value", "spec"), [(2.5, "d"), (3, "s"), (1 + 2j, "d")])
def test_format_refuses_an_unknown_spec(value: Any, spec: str) -> None:
    with pytest.raises(ValueError, match="Unknown format code"):
        printing.format_scalar(value, spec)
