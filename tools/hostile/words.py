"""Texts of single arguments: plain ones by what a parameter is called, and hostile ones."""

from __future__ import annotations

import ast
from random import Random

SIZES = """
0 1 -1 2 3 -2 63 64 65 2**31-1 2**31 -2**31 2**32 2**33 2**40 2**61 2**61+1 2**62 2**62+1
-2**62 2**63-2 2**63-1 -2**63 -2**63+1 2**63 2**64 -2**64 10**30
True False
""".split()
SMALL = SIZES[:6]
NUMBERS = """
0 1 2 -1 0.5 nan inf -inf 1e308 1e-320 1j complex(nan,1) -0.0 2**62 2**63 2**64 10**400 True None
""".split()
SHAPES = """
;0;1;3;2, 3;3, 2;0, 3;3, 0;2, 3, 4;1, 1;2, 1, 3, 2;4, 4;1, 2, 5, 5;2, 3, 4, 5, 2
""".strip().split(";")
DTYPES = """
float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
""".split()
TEXTS = r"""
'' 'mean' 'sum' 'none' 'cpu' 'sim' 'cuda' 'ij' 'reflect' 'constant' 'circular' 'abc' 'é\ud800' 'a'*5000 b'abc'
'ij,jk->ik' 'bilinear' 'nearest' 'amax' 'floor' 'fro' 'reduced' '\0'
""".split()
EXPANDED = "3;2, 3;4, 2, 3;2**40;0;5, 1, 2, 3;2**31, 2**31, 2, 3".split(";")
ACTIONS = """
{0}.resize_(0)
{0}.resize_(100000)
{0}.set_()
{0}.set_(T(1))
setattr({0}, 'data', T(1))
setattr({0}, 'data', T(3, 3, dtype='float64'))
{0}.t_()
{0}.unsqueeze_(0)
{0}.squeeze_()
{0}.transpose_(0, -1)
{0}.as_strided_((1,), (1,))
{0}.requires_grad_()
{0}.zero_()
{0}.detach_()
{0}.backward()
{0}.add_(1)
{0}.clear()
{0}.append(1)
{0}.extend([1] * 100)
{0}.pop()
setattr({0}, 'grad', None)
gc.collect()
wengert.set_grad_enabled(False)
wengert.memory.empty_cache()
""".strip().splitlines()
"""Actions of an argument, while it is read, on another one or on the library's state."""
TENSORS = """
T({shape})
T({shape})
T({typed})
T({typed})
strided_tensor({typed})
grad({shape})
leaf({shape})
view_of_leaf({shape})
deep()
deep(63)
overlapping({shape})
T({shape}).expand({expanded})
inference({shape})
dual({shape})
leaked_batch({shape})
sim({shape})
sim({typed})
readonly({shape})
emptied_view({shape})
half(Tensor)
half(Sub)
Sub(T({shape}))
freed_graph_tensor({shape})
T({shape}).conj()
T({shape}) * nan
T(1, dtype='complex64').expand(2, 3).conj()
T(2, 3, dtype='complex64').imag
T(2**17)
T(2**9, 2**9)
T(1).as_strided((1, 1), ({size}, {other}))
T(0).as_strided((0, 2**40), (1, 1))
T(1).expand(2**31, 2**31)
T(1).expand(2**31, 2**31, 2**31)
T(3)[:0]
T(2, 3).T
wengert.empty(0, 2**40)
of({size}, {other})
of(0, 1, 2)
of(0, -1)
of(1, 0, 1, dtype='bool')
of(100)
of(2**31)
of(nan, inf, dtype='float32')
of(-1, dtype='int32')
of([0, 1], [1, 0])
""".strip().splitlines()
OTHERS = """
None
None
object()
{}
{'a': 1}
itself()
itself(dict)
[itself()]
nested_lists(70)
nested_lists(5000)
...
slice(None)
slice(2**62, -2**63, -1)
slice(0, 2, 2**62)
slice(Index(0), 'a')
int
float
bool
complex
Tensor
lambda *a, **k: None
lambda *a: a
lambda *a: T(2)
Raises(1)
Attributes()
Number(3)
Text('mean')
range(3)
range(2**31)
set()
NotImplemented
np.float32(1)
np.ones((2, 3))
np.array(['a'])
np.array(None)
np.int64(2**62)
np.ones((2, 3))[::-1]
np.ones(3, '>f4')
memoryview(b'abcd')
wengert
Exception('a')
type('A', (), {})
iter(())
wengert.float32
wengert.int64
wengert.bool
wengert.complex64
wengert.bfloat16
wengert.device('cpu')
wengert.device('sim')
wengert.strided
wengert.channels_last
wengert.Generator()
half(wengert.Generator)
half(wengert.dtype)
half(wengert.device)
half(Storage)
half(wengert.autograd.graph.Node)
half(wengert.autograd.SavedTensor)
half(wengert_core.dispatch.op.Op)
node()
saved_tensor()
instance('Storage')
instance('UntypedStorage')
instance('TypedStorage')
instance('GradientEdge')
instance('RemovableHandle')
find('add')
Square
half(Square)
[[1, 2], [3]]
[[1.0, nan], [2, 3]]
[1, 'a']
[[], []]
[T(2), 3]
{1: T(2)}
""".strip().splitlines()
SEQUENCES = """
[{0}]
[{0}]
({0})
({0})
LyingList([{0}])
LongList([{0}])
LongTuple(({0}))
Hinting({0})
LyingTuple(({0}))
Sequence({0})
iter([{0}])
wengert.Size([{0}])
array_of([{0}])
""".strip().splitlines()
MADE = ("T(", "strided_tensor(", "grad(", "of(", "wengert.tensor(", "arg(")
"""Beginnings of the text of a tensor of the samples."""


def tensor(random: Random) -> str:
    """A tensor of any kind."""
    shape, dtype = random.choice(SHAPES), random.choice(DTYPES)
    typed = f"{shape}, dtype='{dtype}'" if shape else f"dtype='{dtype}'"
    size, other = random.choice(SIZES), random.choice(SIZES)
    text = random.choice(TENSORS)
    return text.format(shape=shape, typed=typed, size=size, other=other, expanded=random.choice(EXPANDED))


def acting(random: Random, names: list[str]) -> str:
    """An object that acts on one of the named arguments while it is read."""
    action = random.choice(ACTIONS).format(random.choice(names) if names else "T(2)")
    kind = random.choice(["Index", "Index", "Float", "Truth", "Acts"])
    value = random.choice(["0", "1", "2", "-1", "0", "1", *SIZES, "nan", "None", repr("a")])
    return f"{kind}({value}, lambda: {action})"


def sequence(random: Random, names: list[str], depth: int = 0) -> str:
    """A list or tuple, of anything."""
    of = random.choice([SIZES, SMALL, NUMBERS])
    items = [random.choice(of) for _ in range(random.choice([0, 1, 1, 2, 2, 3, 4, 65]))]
    if items and random.random() < 0.3:
        items[random.randrange(len(items))] = hostile(random, names, depth + 1)
    if random.random() < 0.3:
        items = [tensor(random) for _ in range(random.randrange(4))]
    return random.choice(SEQUENCES).format(", ".join(items) + ("," if items else ""))


def hostile(random: Random, names: list[str], depth: int = 0) -> str:
    """Anything, most often what no call expects."""
    kind = random.random()
    if kind < 0.25:
        return tensor(random)
    if kind < 0.45:
        return random.choice(SIZES)
    if kind < 0.52:
        return random.choice(NUMBERS)
    if kind < 0.58:
        return random.choice(TEXTS)
    if kind < 0.70:
        return acting(random, names)
    if kind < 0.82 and depth < 2:
        return sequence(random, names, depth)
    return random.choice(OTHERS)


def kin(random: Random, text: str, names: list[str]) -> str:
    """Hostile, but of the kind that an argument is now: it gets further than any other."""
    if text.startswith(MADE):
        return tensor(random)
    if text.startswith(("[", "(")):
        return spoil_item(random, text, names)
    if text in {"True", "False"}:
        return random.choice(["True", "False", "None", "2", acting(random, names)])
    if text.lstrip("-").isdigit():
        return random.choice(SIZES) if random.random() < 0.7 else acting(random, names)
    if text[:1] in "'\"":
        return random.choice(TEXTS)
    return random.choice(NUMBERS) if text[:1] in "0123456789-" else hostile(random, names)


def spoil_item(random: Random, text: str, names: list[str]) -> str:
    """A list or tuple with one item replaced."""
    items = items_of(text)
    if items and random.random() < 0.8:
        i = random.randrange(len(items))
        items[i] = kin(random, items[i], names)
    made = random.choice(["[{}]", "[{}]", "({},)", "LyingList([{}])", "LongList([{}])", "Hinting({})"])
    return made.format(", ".join(items)).replace("(,)", "()")


def items_of(text: str) -> list[str]:
    """The texts of the items of a list or tuple, as Python's parser sees them: a comma may be a lambda's."""
    found = ast.parse(text, mode="eval").body
    items = found.elts if isinstance(found, (ast.List, ast.Tuple)) else [found]
    return [ast.get_source_segment(text, item) or "" for item in items]


PLAIN = [
    ("self input other tensor x src source mat2 target weight tensor1 tensor2 end a b out",
     "T(2, 3);T(3);T(4, 4);grad(2, 3);T(2, 3, dtype='int64');T(1, 2, 5, 5);of(1, 0, 1);1.5"),
    ("dim dim0 dim1 start_dim axis n k offset start index i", "0;1;-1;(0, 1);of(0, 1)"),
    ("size shape kernel_size stride padding dilation sizes dims output_size normalized_shape",
     "(2, 3);3;(1,);6;[2, -1];2"),
    ("dtype", ";".join(f"wengert.{name}" for name in DTYPES)),
    ("keepdim keepdims inplace training unbiased create_graph requires_grad upper left", "True;False"),
    ("func function f hook fn pack_hook unpack_hook",
     "lambda *a: a[0];lambda x: (x * x).sum();lambda *a: None;wengert.sin"),
    ("generator", "wengert.Generator()"),
]  # fmt: skip
"""Names of parameters, and what they may well be given."""
BY_NAME = {name: values.split(";") for names, values in PLAIN for name in names.split()}
ANYTHING = "1;0;2.0;T(2, 3);T(3);'mean';None;(1, 2);[T(2), T(2)];(T(2, 3),)".split(";")


def plain(random: Random, parameter: str) -> str:
    """Return the text of a value that a parameter of this name may well be given."""
    return random.choice(BY_NAME.get(parameter, ANYTHING))
