"""Writes that are refused whatever else is wrong with a call: to a leaf that requires grad, and to out= with a history.

Note [Refused before shapes]
    PyTorch looks at the target of a write before the operation looks at shapes and dtypes, so of two faults in a call
    it names the target. Here drivers look at the target when the rest is known to fit, which costs a call that succeeds
    nothing more. A call that has failed is looked at again: what refuses its target is raised instead. Errors of
    binding (TypeError) stay as they are; they come first in PyTorch too.
"""
from cpython.ref cimport Py_XDECREF, PyObject

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport Op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts
from wengert_core.runtime.state cimport WG_BATCHED, WG_GRAD, WG_GUARD, WG_INFER, thread_state
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport TF_INFERENCE, TF_VIEW, Tensor

cdef Hooks* HOOKS = hooks()
cdef DTypeFacts* FACTS = dtype_facts()
cdef frozenset OTHERS_FIRST = frozenset("apply_ detach_ fill_diagonal_ float_power_ map2_ map_ requires_grad_ resize_ "
                                        "resize_as_ share_memory_".split())
# Those that look at something else first in PyTorch too, or have an exception of their own for what requires grad.

cdef frozenset CONSTANT = frozenset("eq ge gt histc le logical_and logical_not logical_or logical_xor lt ne".split())
# PyTorch takes the results of these for constants. Others without a derivative give out= a node there that refuses
# every gradient; here they refuse an out= with a history at once.

cdef frozenset COPIED = frozenset("inner linalg_cond linalg_matrix_norm linalg_norm linalg_pinv linalg_tensorinv "
                                  "linalg_tensorsolve lu nanquantile quantile special_ndtr tensordot".split())
# Composites that PyTorch ends with copy_: out= gets the history of the result.


def copies_history(str name not None):
    """Return whether a composite copies its result to out= with its history."""
    return name in COPIED


def keeps_history(str name not None):
    """Return whether an operation writes to an out= with a history as to memory: the history stays as it was."""
    return name in CONSTANT


def out_requires_grad(str name not None):
    """Return the exception for out= of a call whose result would have a history."""
    return RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but one "
                        "of the arguments requires grad. Call it without out=, or under no_grad()")


def refused_write(str name not None, tuple args not None, dict keywords not None, bint inplace, bint recorded=True):
    """Return the exception that refuses the target of a call that has failed; None: it may be written to.

    name: the function.   args, keywords: of the call.   inplace: it writes into its first argument.   recorded: its
    results have a history. Note [Refused before shapes]
    """
    if thread_state().modes & (WG_GRAD | WG_INFER) != WG_GRAD:
        return None
    if name in OTHERS_FIRST or (name in COPIED and not inplace):
        return None
    if inplace:
        target = args[0] if args else keywords.get("self", keywords.get("input"))
        return refused_leaf(name, <Tensor> target) if isinstance(target, Tensor) else None
    out = keywords.get("out")
    given = list(out) if isinstance(out, (tuple, list)) else [out]
    has_history = recorded and any([isinstance(one, Tensor) and FACTS.category[(<Tensor> one).code] >= CAT_FLOAT
                                    for one in given])
    writes_history = recorded or not keeps_history(name)
    refused = (writes_history and any_requires(given)) or (has_history and any_requires([*args, *keywords.values()]))
    return out_requires_grad(name) if refused else None


cdef bint any_requires(values) except -1:
    """Return whether a tensor among some values, or in a list or tuple of them, requires grad."""
    for value in values:
        if isinstance(value, Tensor) and requires_grad(<Tensor> value) and not (<Tensor> value).flags & WG_BATCHED:
            return True
        if isinstance(value, (tuple, list)) and any_requires([item for item in value if isinstance(item, Tensor)]):
            return True
    return False


cdef object refused_leaf(str name, Tensor t):
    """The engine's exception for a write to a leaf, or to a view of one; None where t is neither."""
    cdef PyObject* slots[1]
    cdef PyObject* keep = NULL
    cdef Tensor root = <Tensor> t.base if t.flags & TF_VIEW and t.base != NULL else t
    if HOOKS.before_inplace == NULL or root.grad_fn != NULL or not (t.flags | root.flags) & WG_GRAD \
            or t.flags & (TF_INFERENCE | WG_BATCHED) or thread_state().modes & WG_GUARD:
        return None
    slots[0] = <PyObject*> t
    try:
        HOOKS.before_inplace(Op(f"{name}(Tensor self) -> Tensor", "refused", inplace=True), slots, &keep)
    except RuntimeError as error:
        return error
    Py_XDECREF(keep)
    return None
