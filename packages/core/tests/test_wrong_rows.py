"""Rows that cannot be right are refused when they are written: schemas, settings, and what does not go together."""

import re

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.binding.schema import TYPES, parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds.base import FLOATING
from wengert_core.optable.op_table import OpTable

SCHEMAS = {
    "": "no identifier",
    "f": "no ') -> '",
    "f(": "no ') -> '",
    "f()": "no ') -> '",
    "f(Tensor self) - Tensor": "no ') -> '",
    "f(Tensor self)-> Tensor": "no ') -> '",
    "f(Tensor self -> Tensor": "no ') -> '",
    "f(Tensor self) -> ": "it returns ''",
    "f(Tensor self) -> Tensro": "it returns 'Tensro'",
    "f(Tensor self) -> int": "it returns 'int'",
    "f(Tensor self) -> ()": "it returns ''",
    "f(Tensor self) -> (Tensor a, Tensor a)": "two outputs called 'a'",
    "f(Tensor self) -> (Tensor a b, Tensor c)": "name 'a b' of an output",
    "f(Tensor self) -> (Tensor 1)": "name '1' of an output",
    "f(Tensor self) -> (" + ", ".join(f"Tensor r{i}" for i in range(9)) + ")": "at most 8 outputs, this one has 9",
    "f g(Tensor self) -> Tensor": "the name 'f g' is no identifier",
    "1f(Tensor self) -> Tensor": "the name '1f' is no identifier",
    "a.(Tensor self) -> Tensor": "the name 'a.' is no identifier",
    "(Tensor self) -> Tensor": "the name '' is no identifier",
    "f(Tensro self) -> Tensor": "the type 'Tensro' of parameter 'self' is not known",
    "f(tensor self) -> Tensor": "the type 'tensor'",
    "f(Tensor?? self) -> Tensor": "the type 'Tensor??'",
    "f(int[3] n) -> Tensor": "the type 'int[3]'",
    "f(Tensor) -> Tensor": "parameter 'Tensor' has no type or no name",
    "f(self) -> Tensor": "parameter 'self' has no type or no name",
    "f(Tensor self, ) -> Tensor": "parameter '' has no type or no name",
    "f(, Tensor self) -> Tensor": "parameter '' has no type or no name",
    "f(Tensor self,int n) -> Tensor": "name 'self,int n' of a parameter",
    "f(Tensor 1) -> Tensor": "name '1' of a parameter",
    "f(Tensor a-b) -> Tensor": "name 'a-b' of a parameter",
    "f(Tensor self, Tensor self) -> Tensor": "two parameters called 'self'",
    "f(Tensor self, *) -> Tensor": "no parameter follows the *",
    "f(Tensor self, *, *, int n=1) -> Tensor": "parameter '*' has no type or no name",
    "f(Tensor self, int n=1, int m) -> Tensor": "'m' without a default follows 'n'",
    "f(Tensor self, int[]* sizes, int n) -> Tensor": "'n' follows 'sizes', which takes all further arguments",
    "f(Tensor self, *, int[]* sizes) -> Tensor": "the * is for int[] and object",
    "f(Tensor* self) -> Tensor": "the * is for int[] and object",
    "f(Tensor self, int n=) -> Tensor": "the default '' of parameter 'n'",
    "f(Tensor self, int n=x) -> Tensor": "the default 'x' of parameter 'n'",
    "f(Tensor self, int n=1.5) -> Tensor": "the default 1.5 of parameter 'n' is no int",
    "f(Tensor self, int n=True) -> Tensor": "the default True of parameter 'n' is no int",
    "f(Tensor self, bool n=1) -> Tensor": "the default 1 of parameter 'n' is no bool",
    "f(Tensor self, float n='a') -> Tensor": "the default 'a' of parameter 'n' is no float",
    "f(Tensor self, str n=1) -> Tensor": "the default 1 of parameter 'n' is no str",
    "f(Tensor self, str n=abc) -> Tensor": "the default 'abc'",
    "f(Tensor self, str n='abc) -> Tensor": "the default",
    "f(Tensor self, int[] n=[a]) -> Tensor": "the default",
    "f(Tensor self, int[] n=1.0) -> Tensor": "is no int[]",
    "f(Tensor self, Tensor other=1) -> Tensor": "the default 1 of parameter 'other' is no Tensor",
    "f(Tensor self, dtype d=1) -> Tensor": "is no dtype",
    "f(Tensor self, Tensor[] d=[1]) -> Tensor": "is no Tensor[]",
    "f(" + ", ".join(f"Tensor x{i}" for i in range(17)) + ") -> Tensor": "at most 16 parameters, this one has 17",
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_that_cannot_be_read_is_refused_with_what_is_allowed(schema):
    with pytest.raises(ValueError, match=re.escape(SCHEMAS[schema])) as caught:
        parse_schema(schema)
    text = str(caught.value)
    assert text.startswith(f"schema not understood: {schema!r}: ")
    assert ", ".join(TYPES) in text


@pytest.mark.parametrize("schema", [None, 1, b"f(Tensor self) -> Tensor", ["f"]])
def test_a_schema_that_is_no_text_is_refused(schema):
    with pytest.raises(TypeError, match="a schema must be str, not"):
        parse_schema(schema)
    with pytest.raises(TypeError, match="schema"):
        OpTable("acme_r").pointwise_unary(schema, reference=lambda xp, x: x)


def test_out_is_the_familys_own_parameter():
    with pytest.raises(ValueError, match="two parameters called 'out'"):
        OpTable("acme_r").pointwise_unary("f(Tensor self, *, Tensor? out=None) -> Tensor", reference=lambda xp, x: x)


@pytest.mark.parametrize(
    "schema", ["f(int n) -> Tensor", "f(Any self) -> Tensor", "f(Tensor? self) -> Tensor", "f() -> Tensor"]
)
@pytest.mark.parametrize("kind", ["inplace", "view", "multi_view"])
def test_an_op_that_writes_or_gives_views_has_a_tensor_first(schema, kind):
    with pytest.raises(ValueError, match="first parameter of type Tensor"):
        Op(schema, "x", **{kind: True})


def one(xp, x):
    return x


def two(xp, x, y):
    return x + y


UNARY = "aw(Tensor self) -> Tensor"
BINARY = "aw(Any self, Any other) -> Tensor"
REDUCED = "aw(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"
ALONG = "aw(Tensor self, int dim) -> Tensor"
PAIR = "aw(Tensor self, int dim) -> (Tensor a, Tensor b)"
FACTORY = "aw(int n, *, OPTIONS) -> Tensor"


def row(method, schema, **settings):
    return lambda table: getattr(table, method)(schema, **settings)


ROWS = {
    "a misspelt setting": (
        row("pointwise_unary", UNARY, reference=one, kernals=[]),
        TypeError,
        "no setting 'kernals'; its settings are alpha",
    ),
    "a setting of another family": (
        row("array", UNARY, reference=one, promotion="float"),
        TypeError,
        "no setting 'promotion'",
    ),
    "no reference": (row("pointwise_unary", UNARY), ValueError, "neither a ufunc nor a reference"),
    "a reference that is text": (
        row("pointwise_unary", UNARY, reference="exp"),
        TypeError,
        "'reference' must be callable",
    ),
    "a reference without xp": (
        row("pointwise_unary", UNARY, reference=lambda x: x),
        TypeError,
        "takes 1 arguments, but it is called with 2",
    ),
    "a reference of two": (
        row("pointwise_unary", UNARY, reference=two),
        TypeError,
        "takes 3 arguments, but it is called with 2",
    ),
    "a reference of one": (
        row("pointwise_binary", BINARY, reference=one),
        TypeError,
        "takes 2 arguments, but it is called with 3",
    ),
    "promotion": (
        row("pointwise_unary", UNARY, reference=one, promotion="floats"),
        ValueError,
        "must be one of 'same', 'float'",
    ),
    "promotion that is no text": (
        row("pointwise_unary", UNARY, reference=one, promotion=[1]),
        ValueError,
        "must be one of 'same'",
    ),
    "dtypes that are names": (
        row("pointwise_unary", UNARY, reference=one, dtypes=["float32"]),
        ValueError,
        "must be a sequence of dtypes",
    ),
    "dtypes of NumPy": (
        row("pointwise_unary", UNARY, reference=one, dtypes=(np.float32,)),
        ValueError,
        "must be a sequence of dtypes",
    ),
    "no dtypes": (row("pointwise_unary", UNARY, reference=one, dtypes=()), ValueError, "must be a sequence of dtypes"),
    "one dtype": (
        row("pointwise_unary", UNARY, reference=one, dtypes=wc.float32),
        TypeError,
        "must be a sequence of dtypes",
    ),
    "a group of dtypes by name": (
        row("pointwise_unary", UNARY, reference=one, dtypes="FLOATING"),
        TypeError,
        "must be a sequence of dtypes",
    ),
    "a kernel that is a function": (row("pointwise_unary", UNARY, kernels=[np.sinc]), ValueError, "is neither"),
    "kernels that are one ufunc": (
        row("pointwise_unary", UNARY, kernels=np.exp),
        TypeError,
        "must be a list of ufuncs",
    ),
    "kernels that are text": (row("pointwise_unary", UNARY, kernels="exp"), TypeError, "must be a list of ufuncs"),
    "a kernel of two outputs": (row("pointwise_unary", UNARY, kernels=[np.modf]), ValueError, "'modf' has 2 outputs"),
    "a kernel with a signature": (
        row("pointwise_binary", BINARY, kernels=[np.matmul]),
        ValueError,
        "'matmul' has the signature",
    ),
    "a kernel of two inputs": (
        row("pointwise_unary", UNARY, kernels=[np.add]),
        ValueError,
        "the ufunc 'add' has 2 inputs, the row 1",
    ),
    "a kernel that is not there": (
        row("pointwise_unary", UNARY, kernels=["softpluss"], reference=one),
        ValueError,
        "no kernel called 'softpluss'",
    ),
    "a pair of a kernel": (
        row("pointwise_unary", UNARY, kernels=[(np.exp,)]),
        ValueError,
        "pairs of a kernel and a category",
    ),
    "a doc that is no text": (
        row("pointwise_unary", UNARY, reference=one, doc=None),
        TypeError,
        "'doc' must be str, it is None",
    ),
    "inplace that is text": (
        row("pointwise_unary", UNARY, reference=one, inplace="yes"),
        TypeError,
        "must be True or False, it is 'yes'",
    ),
    "check": (row("pointwise_unary", UNARY, reference=one, check="zero"), ValueError, "must be one of None, 'divisor'"),
    "alpha": (
        row("pointwise_binary", BINARY, reference=two, alpha="gamma"),
        ValueError,
        "'alpha' must name a parameter with a default",
    ),
    "alpha without a default": (
        row("pointwise_binary", "aw(Any self, Any other, Scalar alpha) -> Tensor", reference=two, alpha="alpha"),
        ValueError,
        "'alpha' must name a parameter with a default",
    ),
    "variant": (
        row("pointwise_unary", UNARY, reference=one, variant="mode"),
        ValueError,
        "'variant' must name a parameter",
    ),
    "variants without a reference": (
        row("pointwise_unary", UNARY, reference=one, variant="self", variants={1: {}}),
        ValueError,
        "must have a reference",
    ),
    "variants with a typo": (
        row("pointwise_unary", UNARY, reference=one, variant="self", variants={1: {"reference": one, "dtype": 1}}),
        ValueError,
        "not dtype",
    ),
    "n_promote": (row("pointwise_unary", UNARY, reference=one, n_promote=5), ValueError, "n_promote must be from 1"),
    "bounds": (row("pointwise_unary", UNARY, reference=one, bounds=True), ValueError, "three inputs"),
    "where": (row("pointwise_binary", BINARY, reference=two, promotion="where"), ValueError, "three inputs"),
    "identity of numbers": (
        row("pointwise_unary", "aw(Any self) -> Tensor", reference=one, identity="real"),
        ValueError,
        "identity=",
    ),
    "in place into a number": (
        row("pointwise_unary", "aw(Any x) -> Tensor", reference=one),
        ValueError,
        "first parameter of type Tensor",
    ),
    "more inputs than parameters": (row("pointwise_binary", UNARY, reference=two), ValueError, "2 inputs"),
    "a reduction without keepdim": (
        row("reduction", ALONG, kind="sum", reference=lambda xp, x, a, k: x),
        ValueError,
        "the third 'keepdim'",
    ),
    "a reduction's kind": (
        row("reduction", REDUCED, kind="total", reference=lambda xp, x, a, k: x),
        ValueError,
        "must be one of 'sum'",
    ),
    "a reduction's kernel": (
        row("reduction", REDUCED, kind="sum", kernel="total", reference=lambda xp, x, a, k: x),
        ValueError,
        "must be one of '', 'sum'",
    ),
    "a reduction's reference": (row("reduction", REDUCED, kind="sum", reference=one), TypeError, "called with 4"),
    "along without dim": (row("along", UNARY, reference=one), ValueError, "parameter 'dim'"),
    "along, results": (
        row("along", ALONG, reference=two, results=["float"]),
        ValueError,
        "each one of 'same', 'int64', 'sum'",
    ),
    "along, too few results": (row("along", PAIR, reference=two), ValueError, "results= has 1 words"),
    "along, too many results": (row("along", ALONG, reference=two, results=["same", "same"]), ValueError, "1 outputs"),
    "along, a kernel": (row("along", ALONG, reference=two, kernel="scan"), TypeError, "'kernel' must be a pair"),
    "array, results": (
        row("array", UNARY, reference=one, results=("float",)),
        ValueError,
        "each one of 'same', 'array', 'columns'",
    ),
    "array, results that are text": (row("array", UNARY, reference=one, results="same"), TypeError, "a list of words"),
    "array, too few results": (row("array", PAIR, reference=two), ValueError, "results= has 1 words"),
    "array, the dtype of a number": (
        row("array", "aw(int n) -> Tensor", reference=one),
        ValueError,
        "'same' have the dtype of the first",
    ),
    "array, widen": (row("array", UNARY, reference=one, widen="double"), ValueError, "must be one of ''"),
    "array, order": (row("array", UNARY, reference=one, order="rows"), ValueError, "must be one of '', 'dims'"),
    "stages": (row("staged", UNARY, stages=None, reference=one), TypeError, "'stages' must be callable"),
    "stages of two": (
        row("staged", UNARY, stages=lambda x, y: x, reference=one),
        TypeError,
        "stages= takes 2 arguments",
    ),
    "a sampler": (
        row("random", "aw_(Tensor self) -> Tensor", sampler=two),
        ValueError,
        "'object? generator=None' last",
    ),
    "a geometry": (row("view", UNARY, geometry="transposed"), ValueError, "must be one of view, alias"),
    "a geometry of other parameters": (row("view", UNARY, geometry="transpose"), ValueError, "int dim0, int dim1"),
    "a factory without an impl": (row("factory", FACTORY), ValueError, "needs impl="),
    "a factory without sizes": (row("factory", FACTORY, kind="zeros"), ValueError, "needs the parameter 'size'"),
    "a factory without a value": (
        row("factory", "aw(int[] size, *, OPTIONS) -> Tensor", kind="full"),
        ValueError,
        "parameter 'fill_value'",
    ),
    "a factory like nothing": (
        row("factory", FACTORY, kind="zeros", like="self"),
        ValueError,
        "like= must be the name of a Tensor",
    ),
    "a gather without an index": (
        row("reading", ALONG, way="gather", reference=two),
        ValueError,
        "a row of the kind 'gather'",
    ),
    "a gather of numbers": (
        row("reading", "aw(Any x, int d, Tensor i, bool s) -> Tensor", way="gather", reference=two),
        ValueError,
        "a row of the kind 'gather'",
    ),
    "a way to read": (
        row("reading", ALONG, way="take", reference=two),
        ValueError,
        "must be one of 'gather', 'index_select'",
    ),
    "a way to scatter": (
        row("scattering", ALONG, way="scatter_add", reference=two),
        ValueError,
        "a row of the kind 'scatter_add'",
    ),
    "a product of one": (row("product", UNARY, way="mm", reference=one, doc=""), ValueError, "a row of the kind 'mm'"),
    "a softmax without a dim": (
        row("softmax", UNARY, kernel="softmax", reference=one, doc=""),
        ValueError,
        "a row of the kind 'softmax'",
    ),
    "a concatenation of one": (
        row("joining", ALONG, way="cat", reference=two, doc=""),
        ValueError,
        "a row of the kind 'cat'",
    ),
    "windows by other names": (
        row(
            "pooling_row", "aw(Tensor g, Tensor i, int[] sizes, int n) -> Tensor", kind="scatter", reference=two, doc=""
        ),
        ValueError,
        "by these names",
    ),
    "a name": (lambda table: table.add(len, "not a name"), ValueError, "must be identifiers"),
    "a name that is no text": (lambda table: table.add(len, None), ValueError, "must be identifiers"),
    "a function that is none": (lambda table: table.add("len", "length"), TypeError, "must be callable, not str"),
}


@pytest.mark.parametrize("word", ROWS, ids=lambda word: word.replace(" ", "-"))
def test_a_row_that_cannot_be_right_is_refused_with_table_row_and_what_is_allowed(word):
    write, error, message = ROWS[word]
    table = OpTable("acme_r")
    with pytest.raises(error, match=re.escape(message)) as caught:
        write(table)
    text = str(caught.value)
    assert "acme_r" in text or text.startswith(("schema not understood", "pointwise row 'aw'")), text
    assert not table.ops


def test_a_table_has_a_name():
    for name in (None, "", 3):
        with pytest.raises(TypeError, match="an op table's name must be text"):
            OpTable(name)


def test_arguments_that_a_shortcut_leaves_out_are_missed():
    """A call with one argument of a row whose dim has no default."""
    table = OpTable("acme_r")
    op = table.reduction(
        "aw_dim(Tensor self, int dim, bool keepdim) -> Tensor",
        kind="sum",
        dtypes=FLOATING,
        reference=lambda xp, x, axes, keepdims: x.sum(axes, keepdims=keepdims),
    )
    for arguments in ((), (wc.ones(2),), (wc.ones(2), 0)):
        with pytest.raises(TypeError, match="missing 1 required positional arguments"):
            op(*arguments)
    assert op(wc.ones(2), 0, False).item() == 2


def test_a_list_of_what_are_no_tensors_is_refused():
    op = OpTable("acme_r").array("aw_list(Tensor[] tensors) -> Tensor", reference=lambda xp, arrays: np.zeros(1))
    for wrong in ([1, 2], ["a"], [None], [wc.ones(1), 3]):
        with pytest.raises(TypeError, match="expected Tensor as element"):
            op(wrong)


def test_a_strangers_row_is_no_primitive_of_ours():
    """Rows with the ways and geometries of core's, written by somebody else, are not what core itself runs."""
    table = OpTable("acme_r")
    table.view("aw_turn(Tensor self, int a, int b) -> Tensor", geometry="transpose")
    table.product("aw_mm(Tensor self, Tensor other) -> Tensor", way="mm", reference=two, doc="")
    x = wc.arange(6.0).reshape(2, 3)
    assert x.transpose(0, 1).shape == (3, 2)
    assert wc.TABLE.ops["matmul"](x, x.transpose(0, 1)).tolist() == [[5.0, 14.0], [14.0, 50.0]]


def test_a_ufunc_of_four_inputs_is_tried_within_its_memory():
    four = np.frompyfunc(lambda a, b, c, d: a, 4, 1)
    op = OpTable("acme_r").pointwise(
        4,
        "aw_four(Any self, Any b, Any c, Any d) -> Tensor",
        kernels=[four],
        reference=lambda xp, a, b, c, d: a + b + c + d,
    )
    assert op(*[wc.ones(3)] * 4).tolist() == [4.0] * 3
