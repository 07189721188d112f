"""Calling hooks while a graph is run; they are registered in graph/tensor_hooks.pyx and graph/node.pyx.

parts: the gradients of a node's outputs, None where there is none.
"""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport find_op
from wengert_core.tensors.tensor cimport extra_of, same_shape, shape_tuple
from wengert_engine.graph.node cimport NODE_CUSTOM, FunctionNode, NodeExtra, hold
from wengert_engine.graph.visible_edges cimport recorded_gradients, shown_gradients
from wengert_engine.messages import errors

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


cdef list run_output_hooks(Node node, list parts):
    """Tensor hooks by output, then retained gradients. A caller who asked for these gradients gets them now.

    Of a node that stands for a part of a graph those of outputs without a gradient are left out, as if they were not
    reached; only a hook over several outputs counts them.
    """
    cdef NodeExtra* extra = node.extra
    cdef bint skips = node.kind == NODE_CUSTOM and (<object> (<FunctionNode> node).function)._skips_none
    if extra.tensor_hooks != NULL:
        for output_nr, hooks in list((<dict> extra.tensor_hooks).items()):
            if skips and parts[output_nr] is None:
                hooks = {number: hook for number, hook in hooks.items() if getattr(hook, "counts_outputs", False)}
            parts[output_nr] = run_tensor_hooks(hooks, parts[output_nr])
    if extra.retained != NULL:
        for output_nr, reference in (<dict> extra.retained).items():
            retain(reference(), parts[output_nr])
    return parts


cdef list run_pre_hooks(Node node, list parts):
    for hook in list((<dict> node.extra.pre_hooks).values()):
        result = hook(tuple(parts))
        if result is not None:
            parts = checked_results(hook, result, parts)
    return parts


cdef object run_tensor_hooks(dict hooks, object grad):
    """The gradient as a tensor's hooks leave it; they are called with None where the backward comes without one."""
    for hook in list(hooks.values()):
        result = hook(grad)
        if result is not None:
            if grad is None:
                raise errors.none_replaced()
            check_result(hook, result, grad)
            grad = result
    return grad


cdef int check_result(object hook, object result, object grad) except -1:
    """What a hook puts in a gradient's place has to be like it."""
    name = getattr(hook, "__name__", hook)
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if not same_shape(<Tensor> result, <Tensor> grad):
        raise RuntimeError(f"hook '{name}' has changed the size of value: {list(shape_tuple(<Tensor> grad))} became "
                           f"{list(shape_tuple(<Tensor> result))}")
    if (<Tensor> result).code != (<Tensor> grad).code:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {errors.tensor_type(grad.dtype)} got "
                           f"{errors.tensor_type(result.dtype)})")
    return 0


cdef list checked_results(object hook, object results, list grads):
    """What a node's hook returned: a tuple with one gradient, or None, for each that it got."""
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(grads):
        raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has returned an incorrect number of values (got "
                           f"{len(results)}, but expected {len(grads)})")
    for result, grad in zip(results, grads):
        if result is not None:
            if grad is None:
                raise errors.none_replaced()
            check_result(hook, result, grad)
    return list(results)


cdef int retain(object tensor, object grad) except -1:
    """Set the grad of a tensor that retains it."""
    cdef Tensor t
    cdef PyObject* old
    if tensor is None or grad is None:
        return 0
    t = <Tensor> tensor
    old = extra_of(t).grad
    if old != NULL:
        grad = find_op("add")(<object> old, grad)
    elif Py_REFCNT(<PyObject*> grad) > 1:
        grad = find_op("clone")(grad)
    hold(&t.extra.grad, grad)
    return 0


cdef list run_leaf_hooks(Node node, list parts):
    cdef Tensor leaf = <Tensor> saved_slots(node)[0].value
    if leaf.extra != NULL and leaf.extra.hooks != NULL:
        parts[0] = run_tensor_hooks(<dict> leaf.extra.hooks, parts[0])
    return parts


cdef list run_post_hooks(Node node, list grads, list parts):
    """Return the gradients of a node's inputs as its hooks leave them; they see the edges of next_functions."""
    grads = shown_gradients(node, grads)
    for hook in list((<dict> node.extra.post_hooks).values()):
        result = hook(tuple(grads), tuple(parts))
        if result is not None:
            grads = checked_results(hook, result, grads)
    return recorded_gradients(node, grads)
