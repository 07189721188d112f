"""Formula: an op's derivative, read once into what the engine needs at every step.

A formula's parameter names say what is saved: an argument's name its value, ``self_shape`` and ``self_dtype`` a fact of
it, ``result`` (or an output's name) an output, ``grad`` the gradient of the first output, ``grads`` those of all,
``needs`` which inputs need a gradient. What no rule asks for is not kept.

Note [Names of nodes]
    torch numbers the overloads of an op: SumBackward0 is of x.sum(), SumBackward1 of x.sum(0). An entry's ``node`` may
    be a function of what some arguments are (a word of KINDS), of ``inplace``, and of ``operator`` (Python's has
    called); it is called here for all that could be, so that recording only looks up a class.
"""
cimport cython
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.dispatch.op cimport K_OBJECT, K_TENSOR, K_TENSOR_OR_NUMBER, K_TENSORS, OP_INPLACE, Op
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.formula_checks import check_entry
from wengert_engine.graph.node cimport make_node_class

cdef extern from "Python.h":
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept

cdef object FIND = None                # callable (Op) -> table entry or None


def set_source(find):
    """Say where formulas come from: find(op) gives a table's entry, or None when there is none."""
    global FIND
    FIND = find


cdef enum:
    N_KINDS = 5

# Kinds of arguments; a matrix is a tensor of two dims.
cdef tuple KINDS = ("none", "number", "tensor", "matrix", "several")
cdef tuple OF_TENSORS = ("tensor", "matrix")
cdef tuple OF_WRAPPED_NUMBERS = ("Add", "Sub", "Mul", "Div")           # in torch these ops make a tensor of a number


cdef inline int kind_of(PyObject* value) noexcept:
    if value == <PyObject*> None:
        return 0
    if isinstance(<object> value, Tensor):
        return 3 if (<Tensor> value).rank == 2 else 2
    return 4 if PyTuple_Check(value) or PyList_Check(value) else 1


cdef PyObject* chosen_type(Formula f, PyObject** slots) noexcept:
    cdef int kinds = kind_of(slots[f.named_slots[0]]) * N_KINDS
    if f.n_named > 1:
        kinds += kind_of(slots[f.named_slots[1]])
    return f.node_types[kinds]


class Identity:
    """Stands for an argument, to see whether a formula is just ``lambda x: x``."""


cdef object parameter_names(object fn):
    code = fn.__code__
    return code.co_varnames[:code.co_argcount]


cdef str camel(str name):
    return "".join([part[:1].upper() + part[1:] for part in name.strip("_").split("_")])


@cython.binding(False)
cdef class Formula:
    """The derivative of one op, bound to its schema. ValueError when a name in it is not the op's."""

    def __cinit__(self, Op op, object entry):
        cdef Op plain = op.out_of_place if op.flags & OP_INPLACE and op.out_of_place is not None else op
        cdef str shown = plain.name if plain.flags & OP_INPLACE else plain.qualified_name     # set_, as torch says it
        self.op, self.entry, self.keep = op, entry, []
        self.all_outputs = True
        self.saved_names = ()
        if entry is None:
            self.error = f"derivative for {shown} is not implemented"
            self.read_all_tensors()
        elif entry.kind == "not_differentiable":
            self.silent = True
        elif entry.kind == "not_implemented":
            self.error = f"derivative for {shown} is not implemented: {entry.reason}"
            self.read_all_tensors()
        else:
            self.read(entry)
        if self.error is not None:
            self.name_nodes("torch::autograd::NotImplemented", "")
        else:
            self.name_nodes(None if entry is None else entry.node_name, camel(plain.name) + "Backward0")

    cdef int name_nodes(self, object name, str usual) except -1:
        """Make the classes of nodes: one, or one for each name that a function gives. Note [Names of nodes]."""
        cdef int first, second
        if not callable(name):
            cls = self.node_class(name or usual)
            self.node_type = <PyObject*> cls
            return 0
        classes = {}
        names = list(parameter_names(name))
        facts = {"inplace": bool(self.op.flags & OP_INPLACE), "operator": "operator" in self.op.options}
        fixed = {n: fact for n, fact in facts.items() if n in names}
        slots = [n for n in names if n not in facts]
        if len(slots) > 2:
            raise ValueError(f"the formula of '{self.op.name}' names nodes by {len(slots)} arguments, the most are two")
        for i, slot in enumerate(slots):
            self.named_slots[i] = self.slot_of(slot)
        for first in range(len(KINDS)):
            for second in range(len(KINDS)):
                given = dict(zip(slots, (KINDS[first], KINDS[second])))
                chosen = name(**given, **fixed)
                if chosen not in classes:
                    classes[chosen] = self.node_class(chosen)
                cls = classes[chosen]
                self.node_types[first * N_KINDS + second] = <PyObject*> cls
        self.node_type = self.node_types[0]
        self.n_named = len(slots)
        if not self.has_list:
            self.hide_numbers()
        return 0

    cdef int hide_numbers(self) except -1:
        """Find out which inputs are no tensors wherever a class of nodes has its name. Note [Edges of numbers] in
        visible_edges.pyx.
        """
        cdef int i, kinds
        named = [self.named_slots[i] for i in range(self.n_named)]
        tensors = {}                   # by class of nodes: which of these may be tensors
        for kinds in range(N_KINDS * N_KINDS):
            found = tensors.setdefault(<object> self.node_types[kinds], set())
            for slot, kind in zip(named, (KINDS[kinds // N_KINDS], KINDS[kinds % N_KINDS])):
                if kind in OF_TENSORS:
                    found.add(slot)
        for kinds in range(N_KINDS * N_KINDS):
            cls = <object> self.node_types[kinds]
            for i in range(self.n_inputs):
                if self.inputs[i].slot in named and self.inputs[i].slot not in tensors[cls] \
                        and not cls.__name__.startswith(OF_WRAPPED_NUMBERS):
                    self.hidden[kinds] |= 1 << i
        return 0

    cdef uint32_t hidden_inputs(self, PyObject* node_type) noexcept:
        """Bit per input that a class of nodes does not show."""
        cdef int kinds
        for kinds in range(N_KINDS * N_KINDS):
            if self.node_types[kinds] == node_type:
                return self.hidden[kinds]
        return 0

    cdef object node_class(self, str name):
        cls = make_node_class(name)
        self.add_saved_properties(cls)
        self.keep.append(cls)
        return cls

    cdef int slot_of(self, str name) except -1:
        try:
            return self.op.params.index(name)
        except ValueError:
            raise ValueError(f"the formula of '{self.op.name}' names '{name}', which its schema does not have: "
                             f"{self.op.schema}") from None

    cdef int read_all_tensors(self) except -1:
        for i in range(self.op.n_params):
            if (self.op.kinds[i] & 63 in (K_TENSOR, K_TENSOR_OR_NUMBER, K_TENSORS)
                    or self.op.params[i] == "source" and self.op.kinds[i] & 63 == K_OBJECT) \
                    and i != self.op.out_slot and self.n_inputs < MAX_INPUTS:          # set_ takes storages, too
                self.inputs[self.n_inputs].slot = i
                self.inputs[self.n_inputs].is_list = self.op.kinds[i] & 63 == K_TENSORS
                self.inputs[self.n_inputs].kind = RULE_ZERO
                self.has_list |= self.inputs[self.n_inputs].is_list
                self.n_inputs += 1
        return 0

    def read(self, entry):
        """Turn a table's entry into rules."""
        check_entry(self.op, entry)
        slopes = entry.kind == "elementwise"
        if slopes:
            self.forward = FORWARD_SLOPES
        elif entry.kind == "multilinear":
            self.forward = FORWARD_EACH
        elif entry.jvp is not None:
            if self.read_jvps(entry.jvp):
                self.forward = FORWARD_JVP if callable(entry.jvp) else FORWARD_JVPS
        elif entry.kind == "linear":
            self.forward = FORWARD_ALL
        if entry.outputs is not None:
            self.all_outputs = False
            self.differentiable_outputs = sum([1 << self.op.outputs.index(name) for name in entry.outputs])
        for name, rule in entry.inputs.items():
            self.add_input(name, rule, slopes)
        if entry.joint is not None:
            self.add_joint(entry.joint)
        if entry.kind == "zero" and not entry.inputs:
            self.read_all_tensors()

    cdef int add_input(self, str name, object rule, bint slopes) except -1:
        if self.n_inputs == MAX_INPUTS:
            raise ValueError(f"the formula of '{self.op.name}' has more than {MAX_INPUTS} inputs")
        cdef InputRule* r = &self.inputs[self.n_inputs]
        cdef int slot = self.slot_of(name)
        r.slot = slot
        r.is_list = self.op.kinds[slot] & 63 == K_TENSORS
        self.has_list |= r.is_list
        self.keep.append(rule)
        r.fn = <PyObject*> rule
        r.n_args = 0
        if rule is None:
            r.kind = RULE_ZERO
        elif callable(rule):
            self.add_function(r, rule, slopes)
        elif rule == 1:
            r.kind = RULE_PASS
        elif rule == -1:
            r.kind = RULE_NEGATE
        else:
            r.kind = RULE_SCALE
        self.n_inputs += 1
        return 0

    cdef int add_function(self, InputRule* r, object fn, bint slopes) except -1:
        names = parameter_names(fn)
        if len(names) > MAX_ARGS:
            raise ValueError(f"the formula of '{self.op.name}' has more than {MAX_ARGS} parameters")
        r.kind = RULE_SLOPE_CALL if slopes else RULE_CALL
        if slopes and len(names) == 1 and is_identity(fn):
            r.kind = RULE_SLOPE_SAVED
        for i, name in enumerate(names):
            if name.endswith("_shape") and not r.is_list and name.removesuffix("_shape") == self.op.params[r.slot]:
                r.args[i] = ARG_OWN_SHAPE
            else:
                r.args[i] = self.argument(name, 1 << self.n_inputs)
        r.n_args = len(names)
        return 0

    cdef bint read_jvps(self, object rule) except -1:
        """Read the entry's own forward derivative; False when forward/jvp_fast.pyx has no word for a parameter."""
        if callable(rule):
            self.n_jvps = 1
            return self.read_jvp(rule, &self.jvps[0])
        if len(rule) > MAX_INPUTS:
            return False
        for name, fn in rule.items():
            self.jvps[self.n_jvps].slot = self.slot_of(name)
            if not self.read_jvp(fn, &self.jvps[self.n_jvps]):
                return False
            self.n_jvps += 1
        return True

    cdef bint read_jvp(self, object fn, JvpRule* jvp) except -1:
        names = parameter_names(fn)
        if len(names) > MAX_ARGS:
            return False
        jvp.fn, jvp.n_args = <PyObject*> fn, <int> len(names)
        for i, name in enumerate(names):
            base, _, fact = name.rpartition("_")
            if name in self.op.params:
                jvp.what[i], jvp.of[i] = JVP_VALUE, <int> self.slot_of(name)
            elif name == "result" or name in self.op.outputs:
                jvp.what[i], jvp.of[i] = JVP_OUTPUT, 0 if name == "result" else <int> self.op.outputs.index(name)
            elif base in self.op.params and fact in ("t", "shape", "dtype"):
                jvp.what[i] = {"t": JVP_TANGENT, "shape": JVP_SHAPE, "dtype": JVP_DTYPE}[fact]
                jvp.of[i] = <int> self.slot_of(base)
            else:
                return False
        return True

    cdef int argument(self, str name, uint32_t wanted_by) except -100:
        """The code of a formula's parameter; adds it to what is saved."""
        cdef int what = SAVE_VALUE, slot, i
        if name == "grad":
            return ARG_GRAD
        if name == "grads":
            return ARG_GRADS
        if name == "needs":
            return ARG_NEEDS
        if name in self.op.params:
            slot = self.slot_of(name)
        elif name == "result" or name in self.op.outputs:
            what, slot = SAVE_OUTPUT, 0 if name == "result" else self.op.outputs.index(name)
        elif name.endswith("_shape"):
            what, slot = SAVE_SHAPE, self.slot_of(name.removesuffix("_shape"))
        elif name.endswith("_dtype"):
            what, slot = SAVE_DTYPE, self.slot_of(name.removesuffix("_dtype"))
        elif name.endswith("_geometry"):
            what, slot = SAVE_GEOMETRY, self.slot_of(name.removesuffix("_geometry"))
        else:
            return self.slot_of(name)
        for i in range(self.n_saved):
            if self.saved[i].what == what and self.saved[i].slot == slot:
                self.saved[i].wanted_by |= wanted_by
                return i
        if self.n_saved == MAX_SAVED:
            raise ValueError(f"the formula of '{self.op.name}' saves more than {MAX_SAVED} values")
        self.saved[self.n_saved].what = what
        self.saved[self.n_saved].slot = slot
        self.saved[self.n_saved].wanted_by = wanted_by
        self.saved_names += (name,)
        if what == SAVE_VALUE and slot == 0:
            self.needs_old_self = True
        self.n_saved += 1
        return self.n_saved - 1

    cdef int add_joint(self, object fn) except -1:
        """One function that gives the gradients of all inputs that are named in entry.joint_inputs."""
        names = parameter_names(fn)
        first = self.n_inputs
        inputs = self.entry.joint_inputs
        mask = 0
        for k, name in enumerate(inputs):
            self.add_input(name, None, False)
            mask |= 1 << (first + k)
        self.keep.append(fn)
        cdef int8_t codes[12]
        for i, name in enumerate(names):
            codes[i] = self.argument(name, mask)
        for k in range(len(inputs)):
            self.inputs[first + k].kind = RULE_JOINT
            self.inputs[first + k].fn = <PyObject*> fn
            self.inputs[first + k].n_args = len(names)
            for i in range(len(names)):
                self.inputs[first + k].args[i] = codes[i]
        return 0

    cdef int add_saved_properties(self, object cls) except -1:
        """``_saved_self`` and its kin on the class of nodes."""
        for index, name in enumerate(self.saved_names):
            setattr(cls, "_saved_" + name, property(SavedReader(index)))
            if self.saves_tensor(index):
                setattr(cls, "_raw_saved_" + name, property(RawReader(index)))
            if self.saved[index].what == SAVE_SHAPE:
                setattr(cls, f"_saved_{name.removesuffix('_shape')}_sym_sizes", property(SavedReader(index)))
        for i in range(0 if self.has_list else self.n_inputs):
            for k in range(self.inputs[i].n_args):
                if self.inputs[i].args[k] == ARG_OWN_SHAPE:
                    setattr(cls, f"_saved_{self.op.params[self.inputs[i].slot]}_sym_sizes", property(SizesReader(i)))
        return 0

    cdef bint saves_tensor(self, int index) except -1:
        """Whether a saved value may be a tensor."""
        if self.saved[index].what == SAVE_VALUE:
            return (self.op.kinds[self.saved[index].slot] & 63 in (K_TENSOR, K_TENSOR_OR_NUMBER)
                    or self.saved_names[index] == "indices")
        return self.saved[index].what == SAVE_OUTPUT


class SavedReader:
    """Reads one saved value of a node."""

    def __init__(self, index):
        self.index = index

    def __call__(self, node):
        return READ_SAVED(node, self.index)


class RawReader(SavedReader):
    """Gives one saved tensor of a node as an object, unread."""

    def __call__(self, node):
        from wengert_engine.record.node_attributes import saved_tensor
        return saved_tensor(node, self.index)


class SizesReader(SavedReader):
    """Reads the sizes of a node's input that the node has not saved itself."""

    def __call__(self, node):
        from wengert_engine.record.node_attributes import argument_sizes
        return argument_sizes(node, self.index)


READ_SAVED = None


def set_saved_reader(read):
    """Tell how a saved value is read with its checks (the run module)."""
    global READ_SAVED
    READ_SAVED = read


cdef object IDENTITY = Identity()


cdef bint is_identity(object fn):
    """Whether a function is ``lambda x: x``."""
    try:
        return fn(IDENTITY) is IDENTITY
    except Exception:                  # it does something with its argument
        return False


cdef Formula formula_of(Op op):
    """The op's formula, read on first use and kept in the op."""
    if op.derivative != NULL:
        return <Formula> op.derivative
    entry = FIND(op) if FIND is not None else None
    formula = Formula(op, entry)
    Py_INCREF(formula)                 # for good: nodes refer to it without owning it
    BOUND.append(op)
    op.derivative = <PyObject*> formula
    return formula


def bind(Op op):
    """The Formula of an op, for tests and for tools that list formulas."""
    return formula_of(op)


def forget_all():
    """Let all formulas be looked up again: one was registered, replaced or removed. Nodes keep what they have."""
    for op in list(BOUND):
        (<Op> op).derivative = NULL
    BOUND.clear()


cdef list BOUND = []                   # the ops whose formula has been read
