"""The result of a row's reference is checked on the CPU: how many arrays, their shape, their kind.

What only devices and WENGERT_KERNELS=python run is tried in tests/devices/test_wrong_kernels.py, for every op.
"""

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.optable.op_table import OpTable
from wengert_registry import registry

TABLE = OpTable("acme_wrong")
CURRENT: dict = {}


def reference(right):
    """A reference whose result the test makes wrong: CURRENT says how."""
    return lambda xp, *arguments: CURRENT["change"](right(*arguments))


def first(array, *others):
    return array


DOC = {"doc": "For tests."}
TABLE.pointwise_unary("aw_unary(Tensor self) -> Tensor", reference=reference(first), **DOC)
TABLE.pointwise_binary("aw_binary(Any self, Any other) -> Tensor", reference=reference(lambda x, y: x + y), **DOC)
TABLE.pointwise_ternary(
    "aw_ternary(Any self, Any b, Any c) -> Tensor", reference=reference(lambda x, y, z: x + y + z), **DOC
)
TABLE.pointwise_unary(
    "aw_compare(Tensor self) -> Tensor", reference=reference(lambda x: x > 0), promotion="compare", **DOC
)
TABLE.pointwise(
    2,
    "aw_variant(Tensor self, int n=2) -> Tensor",
    reference=reference(lambda x, n: x * n),
    n_promote=1,
    variant="n",
    variants={3: {"n_in": 1, "reference": reference(lambda x: x * 3)}},
    **DOC,
)
TABLE.reduction(
    "aw_reduction(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kind="sum",
    reference=reference(lambda x, axes, keepdims: x.sum(axes, keepdims=keepdims)),
    **DOC,
)
TABLE.reduction(
    "aw_mean(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kind="mean",
    reference=reference(lambda x, axes, keepdims: x.sum(axes, keepdims=keepdims)),
    **DOC,
)
TABLE.along("aw_scan(Tensor self, int dim) -> Tensor", reference=reference(first), **DOC)
TABLE.along(
    "aw_place(Tensor self, int dim) -> Tensor",
    reference=reference(lambda x, dim: x.argmax(dim)),
    results=["int64"],
    **DOC,
)
TABLE.along(
    "aw_pair(Tensor self, int dim) -> (Tensor values, Tensor places)",
    results=["same", "int64"],
    reference=lambda xp, x, dim: (
        CURRENT["change"](x.max(dim)) if CURRENT["one"] else CURRENT["change"]((x.max(dim), x.argmax(dim)))
    ),
    **DOC,
)
TABLE.array("aw_array(Tensor self) -> Tensor", reference=reference(first), inplace=True, **DOC)
TABLE.array("aw_into(Tensor self, *, Tensor? out=None) -> Tensor", reference=reference(first), **DOC)
TABLE.array("aw_columns(Tensor self) -> Tensor", reference=reference(first), results=("columns",), **DOC)
TABLE.array("aw_int(Tensor self) -> Tensor", reference=reference(lambda x: x.astype("i8")), results=("int64",), **DOC)
TABLE.random(
    "aw_random_(Tensor self, *, object? generator=None) -> Tensor",
    sampler=lambda rng, shape, dtype: CURRENT["change"](rng.random(shape)),
    **DOC,
)


@pytest.fixture(scope="module", autouse=True)
def _install_ops():
    with registry.group("ops").register("acme_wrong", TABLE, owner="acme 1.0"):
        registry.group("ops").get("acme_wrong")
        yield


def x(*shape):
    return wc.arange(float(np.prod(shape or (3,)))).reshape(shape or (3,))


ops = TABLE.ops
CALLS = {
    "aw_unary": lambda: ops["aw_unary"](x()),
    "aw_unary 0-d": lambda: ops["aw_unary"](x()[1]),
    "aw_unary_": lambda: x().aw_unary_(),
    "aw_unary out=": lambda: ops["aw_unary"](x(), out=wc.empty(3)),
    "aw_unary float16": lambda: ops["aw_unary"](x().half()),
    "aw_binary": lambda: ops["aw_binary"](x(3, 1), x(3)),
    "aw_binary number": lambda: ops["aw_binary"](x(3), 2.5),
    "aw_ternary": lambda: ops["aw_ternary"](x(3), x(3), 1),
    "aw_compare": lambda: ops["aw_compare"](x(3)),
    "aw_compare_": lambda: x(3).aw_compare_(),
    "aw_variant": lambda: ops["aw_variant"](x(3)),
    "aw_variant 3": lambda: ops["aw_variant"](x(3), 3),
    "aw_reduction": lambda: ops["aw_reduction"](x(2, 3), 1),
    "aw_reduction all": lambda: ops["aw_reduction"](x(2, 3)),
    "aw_reduction keepdim": lambda: ops["aw_reduction"](x(2, 3), 0, True),
    "aw_mean": lambda: ops["aw_mean"](x(2, 3), 1),
    "aw_scan": lambda: ops["aw_scan"](x(2, 3), 1),
    "aw_scan 0-d": lambda: ops["aw_scan"](x()[1], 0),
    "aw_place": lambda: ops["aw_place"](x(2, 3), 1),
    "aw_array_": lambda: x(2, 3).aw_array_(),
    "aw_random_": lambda: x(2, 3).aw_random_(),
}  # what of their results is wrong is known to the driver
FREE = {  # the shape is the reference's to decide
    "aw_array": lambda: ops["aw_array"](x(2, 3)),
    "aw_into": lambda: ops["aw_into"](x(2, 3), out=wc.empty(0)),
    "aw_columns": lambda: ops["aw_columns"](x(2, 3)),
    "aw_int": lambda: ops["aw_int"](x(2, 3)),
}
NO_ARRAYS = {
    "None": lambda r: None,
    "nothing": lambda r: (),
    "two": lambda r: (r, r),
    "nine": lambda r: (r,) * 9,
    "a list": lambda r: [r],
    "numbers in a list": lambda r: [0.0, 1.0, -np.inf],
    "a dict": lambda r: {"result": r},
    "text": lambda r: "result",
    "a tensor": lambda r: wc.zeros(3),
    "texts": lambda r: np.full(np.shape(r), "a"),
    "objects": lambda r: np.full(np.shape(r), None, dtype=object),
    "dates": lambda r: np.zeros(np.shape(r), "datetime64[D]"),
    "fields": lambda r: np.zeros(np.shape(r), "i4,f8"),
    "bytes": lambda r: np.zeros(np.shape(r), "V8"),
    "a masked array": lambda r: np.ma.masked_array(r, mask=np.ones(np.shape(r), bool)),
    "complex": lambda r: np.asarray(r) * 1j,
}
OTHER_SHAPES = {
    "fewer elements": lambda r: np.zeros((5,) if np.size(r) > 5 else (0, 1), r.dtype),
    "more elements": lambda r: np.zeros((1000,), r.dtype),
    "no elements": lambda r: np.zeros((0,), r.dtype),
    "a dim more": lambda r: np.asarray(r)[None, None],
    "sixty dims": lambda r: np.zeros((1,) * 60, r.dtype),
    "other dims": lambda r: np.zeros((4, 4, 4), r.dtype),
    "broadcast": lambda r: np.broadcast_to(np.zeros((1,), r.dtype), (2**40,)),
}
KINDS = {
    "integers": lambda r: np.asarray(r).astype("i8" if r.dtype.kind in "fb" else "f8"),
    "unsigned": lambda r: np.asarray(r).astype("u8" if r.dtype.kind in "fb" else "f4"),
    "bools": lambda r: np.asarray(r).astype("?" if r.dtype.kind in "fi" else "f8"),
}
WRONG = [(call, change) for call in CALLS for change in (*NO_ARRAYS, *OTHER_SHAPES, *KINDS)]
WRONG += [(call, change) for call in FREE for change in (*NO_ARRAYS, *KINDS)]


def refusal(call, change, one=True):
    CURRENT.update(change=change, one=one)
    with pytest.raises(RuntimeError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("call", "change"), WRONG, ids=lambda word: word.replace(" ", "-"))
def test_a_wrong_result_is_refused_with_op_table_expected_and_got(call, change):
    if (call == "aw_columns" and change in (*KINDS, "complex")) or (call.startswith("aw_random_") and change in KINDS):
        check_taken(call, change)
        return
    changes = {**NO_ARRAYS, **OTHER_SHAPES, **KINDS}
    message = refusal({**CALLS, **FREE}[call], changes[change])
    source = "sampler" if call.startswith("aw_random_") else "reference"
    assert message.startswith(f"{call.split()[0]}: the {source} in op table 'acme_wrong' returned "), message
    assert ", expected " in message


def check_taken(call, change):
    """Check that the numbers come as they are where the kind is free."""
    CURRENT.update(change={**NO_ARRAYS, **KINDS}[change], one=True)
    assert {**CALLS, **FREE}[call]().shape == (2, 3)


PAIRS = {
    "one": (True, lambda r: r),
    "none": (True, lambda r: None),
    "three": (False, lambda r: (*r, r[0])),
    "nine": (False, lambda r: r * 5),
    "other order": (False, lambda r: r[::-1]),
    "places as numbers": (False, lambda r: (r[0], r[1].astype("f8"))),
    "None among them": (False, lambda r: (r[0], None)),
    "another shape": (False, lambda r: (r[0], np.zeros((5, 5), "i8"))),
    "an array for both": (False, lambda r: np.stack([r[0], r[1]])),
}


@pytest.mark.parametrize("change", PAIRS)
def test_a_wrong_pair_is_refused(change):
    one, function = PAIRS[change]
    message = refusal(lambda: ops["aw_pair"](x(2, 3), 1), function, one)
    assert message.startswith("aw_pair: the reference in op table 'acme_wrong' returned ")
    assert ", expected " in message


def test_numbers_of_one_kind_are_converted():
    for dtype in ("f2", "f4", ">f8", "g"):
        CURRENT.update(change=lambda r, dtype=dtype: r.astype(dtype), one=True)
        assert ops["aw_unary"](x()).tolist() == [0.0, 1.0, 2.0]
    CURRENT.update(change=lambda r: r.astype("u2"), one=True)
    assert ops["aw_int"](x()).tolist() == [0, 1, 2]


def test_memory_that_is_not_aligned_or_runs_backwards_is_copied():
    def misalign_and_reverse(r):
        raw = np.zeros(r.nbytes + 1, "u1")[1:].view(r.dtype)
        raw[:] = r[::-1]
        return raw[::-1]

    CURRENT.update(change=misalign_and_reverse, one=True)
    assert ops["aw_unary"](x()).tolist() == [0.0, 1.0, 2.0]
    assert ops["aw_array"](x()).tolist() == [0.0, 1.0, 2.0]


LARGE = 2000


def test_a_result_that_the_reference_keeps_is_copied():
    cache = np.zeros(LARGE, "f4")
    CURRENT.update(change=lambda r: cache, one=True)
    for call in (ops["aw_array"], ops["aw_unary"]):
        out = call(x(LARGE))
        out.add_(1)
        assert not cache.any()
        assert out.sum().item() == LARGE


def test_a_result_that_is_read_only_is_copied():
    def read_only_copy(r):
        r = r.copy()
        r.flags.writeable = False
        return r

    CURRENT.update(change=read_only_copy, one=True)
    out = ops["aw_array"](x(LARGE))
    out.add_(1)
    assert out[0].item() == 1


def test_a_result_that_is_the_input_is_copied():
    CURRENT.update(change=lambda r: r, one=True)
    t = x(LARGE)
    out = ops["aw_array"](t)
    out.add_(1)
    assert t[0].item() == 0


def test_a_large_result_that_nobody_else_knows_is_not_copied():
    seen = []

    def fresh(r):
        r = r + 1
        seen.append(r.ctypes.data)
        return r

    CURRENT.update(change=fresh, one=True)
    for op in (ops["aw_array"], lambda t: ops["aw_scan"](t, 0)):
        assert op(x(LARGE)).data_ptr() == seen.pop()


def test_stages_must_return_tensors():
    table = OpTable("acme_stages")
    for i, got in enumerate((None, 1, (), "text", np.zeros(2), [wc.zeros(2)], (wc.zeros(2),) * 9)):
        op = table.staged(
            f"aw_stages{i}(Tensor self) -> Tensor", stages=lambda x, got=got: got, reference=None, out=False
        )
        with pytest.raises(
            RuntimeError, match=f"aw_stages{i}: the stages in op table 'acme_stages' returned .*, expected a Tensor"
        ):
            op(x())
    two = table.staged(
        "aw_stages_two(Tensor self) -> (Tensor a, Tensor b)", stages=lambda x: x, reference=None, out=False
    )
    with pytest.raises(RuntimeError, match="returned Tensor, expected a tuple of 2 Tensors"):
        two(x())


def test_a_factory_must_return_a_tensor():
    table = OpTable("acme_factory")
    for i, got in enumerate((None, 3, np.zeros(2))):
        op = table.factory(f"aw_made{i}(int n, *, OPTIONS) -> Tensor", impl=lambda n, dtype, got=got: got)
        with pytest.raises(
            RuntimeError, match=f"aw_made{i}: the impl in op table 'acme_factory' returned an object of type"
        ):
            op(2)


GEOMETRIES = {
    "nothing": None,
    "two": ((2,), (1,)),
    "no integers": (("a",), (1,), 0),
    "a fraction": ((2.5,), (1,), 0),
    "one stride fewer": ((2, 2), (1,), 0),
    "a negative size": ((-2,), (1,), 0),
    "beyond the end": ((2,), (100,), 0),
    "before the start": ((2,), (1,), -5),
    "too many dims": ((1,) * 65, (1,) * 65, 0),
}


@pytest.mark.parametrize("word", GEOMETRIES)
def test_a_wrong_geometry_is_refused(word):
    op = OpTable("acme_view").view(
        "aw_view(Tensor self) -> Tensor", geometry=lambda sizes, strides, offset: GEOMETRIES[word]
    )
    with pytest.raises(RuntimeError):
        op(x())


class Liar(list):
    """A list whose length grows with each look."""

    def __len__(self):
        self.append(1)
        return super().__len__()


def test_a_geometry_whose_length_lies_is_refused_or_taken_as_it_is_read():
    op = OpTable("acme_view").view(
        "aw_liar(Tensor self) -> Tensor", geometry=lambda sizes, strides, offset: (Liar([2]), Liar([1]), 0)
    )
    try:
        assert op(x()).dim() < 64
    except RuntimeError as error:
        assert "aw_liar" in str(error)  # noqa: PT017


def test_an_error_of_a_reference_says_whose_it_is():
    def fail(r):
        raise KeyError("inside")

    CURRENT.update(change=fail, one=True)
    with pytest.raises(KeyError) as caught:
        ops["aw_unary"](x())
    (note,) = caught.value.__notes__
    assert note.startswith("raised by the reference in op table 'acme_wrong' for the operation 'aw_unary', aw_unary(")


def test_eight_results_have_room():
    names = ", ".join(f"Tensor r{i}" for i in range(8))
    table = OpTable("acme_eight")
    op = table.along(
        f"aw_eight(Tensor self, int dim) -> ({names})", results=["same"] * 8, reference=lambda xp, x, dim: (x,) * 8
    )
    assert len(op(x(), 0)) == 8
    op = table.array(f"aw_eights(Tensor self) -> ({names})", results=["same"] * 8, reference=lambda xp, x: (x,) * 8)
    assert len(op(x())) == 8
