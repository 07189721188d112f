"""Number types and torch's promotion rules.

Source of the rules: PyTorch's documentation, "Tensor Attributes", torch.dtype and promotion.

>>> from wengert_core import float32, int64, promote_types
>>> promote_types(float32, int64)
torch.float32
"""
cimport cython
from cpython.object cimport PyTypeObject

from wengert_core.runtime.pyobject cimport not_made_by_hand

cdef DTypeFacts FACTS
cdef list BY_CODE = []
cdef dict BY_NAME = {}
cdef dict BY_TYPE_NUMBER = {}          # (NumPy's dtype that was asked for last, code) by its type number

SCALAR_NAMES = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "ComplexFloat",
                "ComplexDouble", "UInt16", "UInt32", "UInt64")
"""torch's names of the dtypes by code: its messages use them, and the names of its tensor types."""
C_NAMES = ("bool", "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "c10::BFloat16",
           "float", "double", "c10::complex<float>", "c10::complex<double>", "short unsigned int", "unsigned int",
           "long unsigned int")
"""C++'s names of the types of their elements, which some messages use."""
FILL_NAMES = ("bool", "uint8_t", "int8_t", "int16_t", "int", "int64_t", "c10::Half", "c10::BFloat16", "float", "double",
              "c10::complex<float>", "c10::complex<double>", "uint16_t", "uint32_t", "uint64_t")
"""And the names in messages about numbers that do not fit."""


def type_name(x):
    """The dtype of a tensor as torch's messages call it: "Float", "ComplexDouble"."""
    return SCALAR_NAMES[(<dtype> x.dtype).code]


@cython.binding(False)
@cython.embedsignature(True)
cdef class dtype:
    """A number type: ``wengert.float32`` and its kin. There is one object for each; compare with ``is`` or ``==``."""

    _REFUSAL = (TypeError, "cannot create 'torch.dtype' instances: use wengert.float32, wengert.int64, ...")

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return dtype_by_name, (self.name,)

    def __hash__(self):
        return self.code

    @property
    def is_floating_point(self):
        """True for float16, bfloat16, float32 and float64."""
        return self.category == CAT_FLOAT

    @property
    def is_complex(self):
        """True for complex64 and complex128."""
        return self.category == CAT_COMPLEX

    @property
    def is_signed(self):
        """True for all but bool and the unsigned integers."""
        return FACTS.is_signed[self.code] != 0

    @property
    def kind(self):
        """NumPy's character for the kind of number: "b", "u", "i", "f" or "c"."""
        if self.category == CAT_BOOL:
            return "b"
        if self.category == CAT_INT:
            return "i" if self.is_signed else "u"
        return "c" if self.category == CAT_COMPLEX else "f"

    @property
    def dtype(self):
        """NumPy's dtype of these numbers, so that NumPy takes this object for a dtype."""
        from wengert_core.exchange.device_memory import numpy_dtype_of
        return numpy_dtype_of(self)

    @property
    def type(self):
        """The class of NumPy's scalars of these numbers."""
        return self.dtype.type

    def to_real(self):
        """The real type with the precision of this one: float32 for complex64."""
        return BY_CODE[FACTS.real[self.code]]

    def to_complex(self):
        """The complex type with the precision of this one: complex64 for float32."""
        if self.category == CAT_COMPLEX:
            return self
        return BY_CODE[COMPLEX128 if self.code == FLOAT64 else COMPLEX64]


cdef DTypeFacts* dtype_facts() noexcept nogil:
    return &FACTS


cdef dtype dtype_of(int code):
    return <dtype> BY_CODE[code]


def dtype_by_name(str name):
    """The dtype called ``name``, without a prefix: dtype_by_name("float32")."""
    return BY_NAME[name]


cdef int code_of(object spec) except -1:
    """The code of a dtype given as ours, as Python's float/int/bool/complex, or as NumPy's."""
    if isinstance(spec, dtype):
        return (<dtype> spec).code
    if spec is float:
        return FLOAT64
    if spec is int:
        return INT64
    if spec is bool:
        return BOOL
    if spec is complex:
        return COMPLEX128
    number = getattr(spec, "num", None)
    if isinstance(number, int):        # NumPy makes the name of a dtype anew each time
        known = BY_TYPE_NUMBER.get(number)
        if known is not None and known[0] is spec:
            return known[1]
    name = getattr(spec, "name", None)
    found = BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(spec).__name__}")
    if isinstance(number, int):
        BY_TYPE_NUMBER[number] = (spec, (<dtype> found).code)
    return (<dtype> found).code


def as_dtype(spec, str caller, str parameter="dtype"):
    """The dtype that an argument means: one of ours, Python's float, int, bool or complex, or NumPy's.

    caller, parameter: whose argument it is, for the TypeError of anything else.
    """
    try:
        return BY_CODE[code_of(spec)]
    except TypeError:
        raise TypeError(f"{caller}(): argument '{parameter}' must be torch.dtype, not {type(spec).__name__}") from None


def promote_types(type1, type2):
    """The dtype that holds both: promote_types(int64, float16) is float16."""
    return BY_CODE[FACTS.promote[code_of(type1)][code_of(type2)]]


def get_default_dtype():
    """The floating dtype of new tensors made from Python floats: float32 unless changed."""
    return BY_CODE[FACTS.default_float]


def set_default_dtype(d):
    """Change the floating dtype that new tensors made from Python floats have.

    d: a floating dtype. Raises TypeError for anything else.
    """
    if not isinstance(d, dtype):
        from wengert_core.messages.short_repr import short_repr
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type, "
                        f"got {short_repr(d)}")
    cdef int code = code_of(d)
    if FACTS.category[code] != CAT_FLOAT:
        raise TypeError(f"only floating-point types are supported as the default type, got {BY_CODE[code]!r}")
    FACTS.default_float = code
    FACTS.default_complex = COMPLEX128 if code == FLOAT64 else COMPLEX64


cdef int promote_pair(int a, int b) noexcept:
    """Torch's table: the higher category wins; inside one, the type that holds both."""
    if a == b:
        return a
    if FACTS.category[a] > FACTS.category[b] \
            or FACTS.category[a] == FACTS.category[b] and FACTS.itemsize[a] > FACTS.itemsize[b]:
        a, b = b, a
    if FACTS.category[a] != FACTS.category[b]:
        if FACTS.category[b] == CAT_COMPLEX and a == FLOAT64:
            return COMPLEX128
        return b
    if FACTS.category[a] == CAT_INT and FACTS.is_signed[a] != FACTS.is_signed[b]:
        return promote_signs(a, b)
    if FACTS.category[a] == CAT_FLOAT and FACTS.itemsize[a] == FACTS.itemsize[b]:
        return FLOAT32                 # float16 and bfloat16
    return b


cdef int promote_signs(int a, int b) noexcept:
    """An integer type with a sign and one without, b at least as wide as a; float64 for uint64, as in NumPy: torch has
    no rule for it.
    """
    cdef int size = FACTS.itemsize[b]
    if FACTS.is_signed[b] and FACTS.itemsize[a] < size:
        return b
    return INT16 if size == 1 else INT32 if size == 2 else INT64 if size == 4 else FLOAT64


cdef void fill_tables():
    rows = (("bool", 1, CAT_BOOL, 0), ("uint8", 1, CAT_INT, 2), ("int8", 1, CAT_INT, 1), ("int16", 2, CAT_INT, 3),
            ("int32", 4, CAT_INT, 5), ("int64", 8, CAT_INT, 7), ("float16", 2, CAT_FLOAT, 23),
            ("bfloat16", 2, CAT_FLOAT, -1), ("float32", 4, CAT_FLOAT, 11), ("float64", 8, CAT_FLOAT, 12),
            ("complex64", 8, CAT_COMPLEX, 14), ("complex128", 16, CAT_COMPLEX, 15), ("uint16", 2, CAT_INT, 4),
            ("uint32", 4, CAT_INT, 6), ("uint64", 8, CAT_INT, 8))
    cdef dtype d
    cdef int code, other
    for code, (name, itemsize, category, numpy_type) in enumerate(rows):
        d = dtype.__new__(dtype)
        d.code, d.itemsize, d.name, d.category = code, itemsize, name, category
        BY_CODE.append(d)
        BY_NAME[name] = d
        FACTS.itemsize[code] = itemsize
        FACTS.category[code] = category
        FACTS.is_signed[code] = category != CAT_BOOL and not name.startswith("uint")
        FACTS.numpy_type[code] = numpy_type
        FACTS.real[code] = code
    FACTS.real[<int> COMPLEX64], FACTS.real[<int> COMPLEX128] = FLOAT32, FLOAT64
    FACTS.default_float, FACTS.default_complex = FLOAT32, COMPLEX64
    for code in range(N_DTYPES):
        for other in range(N_DTYPES):
            FACTS.promote[code][other] = promote_pair(code, other)


fill_tables()
ALL = dict(BY_NAME)
"""All dtypes by name, in the order of their codes."""
NUMPY_NAMES = tuple([name if FACTS.numpy_type[(<dtype> kind).code] >= 0 else "float32" for name, kind in ALL.items()])
"""By code NumPy's name of a dtype, or of the one that stands for it in computations: float32 for bfloat16."""
COMPUTE_NAMES = tuple(["float32" if name == "float16" else name for name in NUMPY_NAMES])
"""By code NumPy's name of the dtype that is computed in: float32 for 16-bit floats."""


not_made_by_hand(<PyTypeObject*> dtype)
