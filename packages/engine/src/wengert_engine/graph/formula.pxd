"""Formula: an op's derivative, read once into what the engine needs at every step."""
from cpython.ref cimport PyObject
from libc.stdint cimport int8_t, uint8_t, uint32_t

from wengert_core.dispatch.op cimport Op

cdef enum:
    MAX_INPUTS = 6                     # tensor arguments with a gradient
    MAX_SAVED = 14
    MAX_ARGS = 12                      # parameters of one formula
    ARG_GRAD = -1                      # the gradient of the node's first output
    ARG_GRADS = -2                     # those of all its outputs, a tuple
    ARG_NEEDS = -3                     # which inputs need a gradient, a tuple of bool
    ARG_OWN_SHAPE = -4                 # of the input whose gradient it is: not saved, the edge's target knows it

cdef enum RuleKind:
    RULE_CALL = 0                      # fn(...) is the gradient
    RULE_SLOPE_CALL = 1                # grad * conj(fn(...))
    RULE_SLOPE_SAVED = 2               # grad * conj(a saved value)
    RULE_PASS = 3                      # grad itself
    RULE_NEGATE = 4                    # -grad
    RULE_SCALE = 5                     # grad * a constant
    RULE_ZERO = 6                      # zeros of the input's shape
    RULE_JOINT = 7                     # the joint function gives all gradients

cdef enum SaveWhat:
    SAVE_VALUE = 0                     # of a slot
    SAVE_SHAPE = 1
    SAVE_DTYPE = 2
    SAVE_OUTPUT = 3                    # an output; slot is its number
    SAVE_GEOMETRY = 4                  # (sizes, strides, storage offset) in elements

cdef enum Forward:    # what a tangent of the output is, where the entry's kind alone says it: see forward/jvp_fast.pyx
    FORWARD_ASK = 0                    # the entry's jvp is asked
    FORWARD_SLOPES = 1                 # the sum of tangent * slope
    FORWARD_EACH = 2                   # the sum of the op with one tangent in its input's place
    FORWARD_ALL = 3                    # the op with all tangents in their inputs' places
    FORWARD_JVP = 4                    # what the entry's own function gives
    FORWARD_JVPS = 5                   # the sum of what its functions, one for an input, give

cdef enum JvpWhat:                     # what a parameter of such a function stands for
    JVP_TANGENT = 0                    # of a slot: zeros where it has none
    JVP_VALUE = 1                      # of a slot
    JVP_OUTPUT = 2
    JVP_SHAPE = 3
    JVP_DTYPE = 4

cdef struct JvpRule:
    PyObject* fn                       # owned by the entry
    int n_args
    uint8_t slot                       # of the input, for FORWARD_JVPS
    uint8_t what[12]                   # JvpWhat
    uint8_t of[12]                     # slot, or number of the output

cdef struct InputRule:
    uint8_t kind                       # RuleKind
    uint8_t slot                       # the op's slot with this input
    uint8_t is_list                    # the slot holds a sequence of tensors
    uint8_t n_args
    int8_t args[12]                    # ARG_* or an index of a saved value
    PyObject* fn                       # callable or constant; owned by Formula.keep

cdef struct SavePlan:
    uint8_t what                       # SaveWhat
    uint8_t slot
    uint32_t wanted_by                 # bit per input whose rule uses it

cdef class Formula:
    cdef int n_inputs
    cdef InputRule inputs[6]
    cdef int n_saved
    cdef SavePlan saved[14]
    cdef uint32_t differentiable_outputs  # bit per output, unless all_outputs
    cdef bint all_outputs
    cdef bint needs_old_self              # an in-place variant must keep slot 0's old value
    cdef uint8_t forward                  # Forward
    cdef int n_jvps
    cdef JvpRule jvps[6]
    cdef bint silent                      # no node at all (not differentiable)
    cdef bint has_list
    cdef PyObject* node_type              # class of the nodes; owned by keep
    # slots that the name of the nodes depends on. Note [Names of nodes] in formula.pyx
    cdef int n_named
    cdef uint8_t named_slots[2]
    cdef PyObject* node_types[25]         # by the kinds of what these slots hold; owned by keep
    # bit per input which that class does not show: Note [Edges of numbers] in visible_edges.pyx
    cdef uint8_t hidden[25]
    cdef readonly str error               # not None: backward raises this
    cdef readonly object entry            # the table's entry
    cdef readonly Op op
    cdef readonly tuple saved_names       # "self", "other", "result", ...
    cdef list keep
    cdef int slot_of(self, str name) except -1
    cdef int read_all_tensors(self) except -1
    cdef int add_input(self, str name, object rule, bint slopes) except -1
    cdef int add_function(self, InputRule* r, object fn, bint slopes) except -1
    cdef bint read_jvps(self, object rule) except -1
    cdef bint read_jvp(self, object fn, JvpRule* jvp) except -1
    cdef int argument(self, str name, uint32_t wanted_by) except -100
    cdef int add_joint(self, object fn) except -1
    cdef int name_nodes(self, object name, str usual) except -1
    cdef int hide_numbers(self) except -1
    cdef uint32_t hidden_inputs(self, PyObject* node_type) noexcept
    cdef object node_class(self, str name)
    cdef int add_saved_properties(self, object cls) except -1
    cdef bint saves_tensor(self, int index) except -1

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int bits) noexcept nogil


cdef inline int output_number(Formula f, int output) noexcept:
    """The number that an op's output has among those its nodes know, the differentiable ones; -1: none."""
    if f.all_outputs:
        return output
    if not f.differentiable_outputs >> output & 1:
        return -1
    return popcount(f.differentiable_outputs & (<uint32_t> 1 << output) - 1)


cdef Formula formula_of(Op op)         # read on first use
# the class of nodes, where its name depends on arguments
cdef PyObject* chosen_type(Formula f, PyObject** slots) noexcept
