"""Tangents of Functions: what apply calls once this module has been imported."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_FLOAT, DTypeFacts, dtype_facts
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor
from wengert_engine.forward.tangents cimport (give_tangent, is_level_of_transform, own_tangent, set_tangent,
                                              tangents_in)
from wengert_engine.function.apply cimport MATERIALIZE, set_forward_hook
from wengert_engine.graph.node cimport SAVED_OUTPUT, FunctionNode, SavedSlot, saved_slots

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op ZEROS_LIKE = find_op("zeros_like")


def function_tangents(FunctionNode ctx, cls, tuple args, results, tuple tangents, originals):
    """Give a Function's outputs the tangents that its jvp makes. tangents: of the arguments before forward ran.

    originals: the outputs as forward returned them.
    """
    cdef bint single = not isinstance(originals, tuple)
    outs = (results,) if single else results
    originals = (originals,) if single else originals
    given = [ZEROS_LIKE(a) if tangent is None and ctx.materialize & MATERIALIZE and isinstance(a, Tensor)
             and FACTS.category[(<Tensor> a).code] >= CAT_FLOAT else tangent for a, tangent in zip(args, tangents)]
    found = cls.jvp(ctx, *given)
    if not isinstance(found, tuple):
        found = (found,)
    if len(found) != len(outs):
        raise RuntimeError(f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but "
                           f"got {len(found)})")
    for i, (out, tangent) in enumerate(zip(outs, found)):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
        if tangent is None:
            continue
        if not isinstance(out, Tensor) or FACTS.category[(<Tensor> out).code] < CAT_FLOAT \
                or is_marked(ctx, originals[i]):
            raise RuntimeError(f"Function's jvp returned a gradient at position {i}, but  the corresponding forward "
                               "output is not a differentiable Tensor.You should return None at that position instead. "
                               f"{cls.__name__}.jvp")
        for k, a in enumerate(args):
            if a is out and tangents[k] is not None and tangent is not tangents[k]:
                raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If "
                                   "the forward is modifying an input inplace, then the jvp function must modify the "
                                   "corresponding gradient inplace.")
        for k, a in enumerate(args):
            if not is_level_of_transform() and views(<Tensor> out, a):
                check_view(<Tensor> tangent, tangents[k])
        give_tangent(<Tensor> out, <Tensor> tangent)
    share_with_context(ctx, tuple(outs))


cdef int share_with_context(FunctionNode ctx, tuple outs) except -1:
    """Give the aliases of outputs that a Function has saved for backward the outputs' tangents."""
    cdef SavedSlot* saved = saved_slots(ctx)
    cdef Tensor tangent
    cdef int i
    for i in range(ctx.n_saved):
        if saved[i].kind == SAVED_OUTPUT and saved[i].value != NULL:
            tangent = own_tangent(<Tensor> outs[saved[i].output])
            if tangent is not None:
                set_tangent(<Tensor> saved[i].value, tangent)
    return 0


cdef bint is_marked(FunctionNode ctx, object output):
    """Whether forward has marked an output as not differentiable."""
    return ctx.non_differentiable != NULL and any([output is marked for marked in <object> ctx.non_differentiable])


cdef int check_view(Tensor tangent, object source) except -1:
    """The tangent of a view of an input: a view of the input's tangent, or None where it has none."""
    if not tangent.flags & TF_VIEW or tangent.base == NULL:
        raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
                           "returning a view.")
    if source is not None and tangent.base != <PyObject*> source and tangent.base != (<Tensor> source).base:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the given "
                           "grad input. Return a view of the tangent that jvp was given")
    return 0


cdef bint views(Tensor out, object arg):
    """Whether an output is a view of an argument, or of what that is a view of."""
    return isinstance(arg, Tensor) and arg is not out and out.flags & TF_VIEW != 0 and out.base != NULL \
        and (out.base == <PyObject*> arg or out.base == (<Tensor> arg).base)


def argument_tangents(tuple args):
    """The tangents of a Function's arguments; None when none has one."""
    found = tuple([tangents_in(a) if isinstance(a, Tensor) else None for a in args])
    return found if any([item is not None for item in found]) else None


set_forward_hook(argument_tangents, function_tangents)
