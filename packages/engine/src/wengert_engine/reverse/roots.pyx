"""The two ends of a backward: outputs with the gradients they start with, inputs. Checked, as edges of the graph."""
from cpython.ref cimport PyObject, Py_XDECREF
from libc.stdint cimport uint32_t

from wengert_core.binding.torch_function cimport may_override
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, CAT_FLOAT, DTypeFacts, dtype_facts, dtype_of
from wengert_core.runtime.state cimport WG_BATCHED, WG_GRAD
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor, new_empty, same_shape, shape_tuple
from wengert_engine.graph.gradient_edge import GradientEdge, first_gradient, given_edge, shape_and_dtype
from wengert_engine.graph.leaves cimport gradient_edge
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.messages import errors

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op ONES_LIKE = None               # looked up when first needed: the import of wengert loads no ops


def as_tuple(tensors):
    """One tensor, a gradient edge or a sequence, as a tuple."""
    if type(tensors) is tuple:
        return tensors
    if isinstance(tensors, (Tensor, GradientEdge)) or hasattr(type(tensors), "__torch_function__"):
        return (tensors,)
    try:
        return tuple(tensors)
    except TypeError:
        raise TypeError("expected a Tensor, a GradientEdge or a sequence of these as outputs, tensors or inputs of a "
                        f"backward, got '{type(tensors).__name__}' object is not iterable") from None
    except MemoryError:  # of a __len__ that says more than there is: CPython's has no words
        raise MemoryError(f"the items of a {type(tensors).__name__} do not fit into memory: expected a Tensor, a "
                          "GradientEdge or a sequence of these") from None


def any_overrides(tuple ends):
    """Whether a tensor of a subclass, or a value with ``__torch_function__``, is among tensors and gradient edges, or
    a mode is on.
    """
    if may_override(NULL, 0):
        return True
    for end in ends:
        if type(end) is not Tensor and not isinstance(end, GradientEdge):
            return True
    return False


cdef object edge_at(object end):
    """(node, output_nr) of a tensor or an edge; None for a tensor that does not require grad."""
    cdef uint32_t nr = 0
    cdef PyObject* node
    if not isinstance(end, Tensor):
        return given_edge(end)
    if (<Tensor> end).flags & WG_BATCHED:
        return edge_of(end)
    node = gradient_edge(<Tensor> end, &nr)
    if node == NULL:
        return None
    edge = (<object> node, nr)
    Py_XDECREF(node)
    return edge


cdef object edge_to_nothing(Tensor view):
    """An edge that is in no graph, for a view that requires grad by its base alone: no result leads to it."""
    cdef Tensor other = new_empty(view.code, view.rank, view.dims)
    other.flags |= WG_GRAD
    return edge_at(other)


def root_edges(roots):
    """(node, output_nr) of every root."""
    edges = []
    for i, root in enumerate(roots):
        if not isinstance(root, (Tensor, GradientEdge)):
            raise AssertionError(f"Expected output to be a torch.Tensor or GradientEdge, got {type(root).__name__}")
        edge = edge_at(root)
        if edge is None:
            raise errors.no_grad_fn(i)
        edges.append(edge)
    return edges


def input_edges(inputs):
    """(node, output_nr) of every input that gradients are asked for."""
    edges = []
    for i, target in enumerate(inputs):
        edge = edge_at(target)
        if edge is None and isinstance(target, Tensor) and requires_grad(<Tensor> target):
            edge = edge_to_nothing(<Tensor> target)
        if edge is None:
            raise errors.input_without_grad(i)
        edges.append(edge)
    return edges


def root_gradients(tuple roots, given):
    """The gradient each root starts with: given, or 1 for a scalar."""
    cdef Py_ssize_t i, n = len(roots)
    cdef tuple gradients
    if given is None:
        return [implicit(root) for root in roots]
    gradients = (given,) if isinstance(given, Tensor) else tuple(given)
    if len(gradients) != n:
        raise RuntimeError(f"got {n} tensors and {len(gradients)} gradients")
    return [implicit(roots[i]) if gradients[i] is None else check_root_grad(i, roots[i], gradients[i])
            for i in range(n)]


cdef object implicit(object root):
    """The gradient 1 of a scalar."""
    if isinstance(root, GradientEdge):
        return first_gradient(root)
    global ONES_LIKE
    if ONES_LIKE is None:
        ONES_LIKE = find_op("ones_like")
    cdef Tensor t = <Tensor> root
    if t.count != 1:
        raise errors.implicit_gradient(shape_tuple(t))
    if FACTS.category[t.code] != CAT_FLOAT:
        raise errors.implicit_real(dtype_of(t.code))
    return ONES_LIKE(t)


cdef object check_root_grad(Py_ssize_t index, object root, object gradient):
    """A gradient that was given for a root, when it fits."""
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    cdef Tensor g = <Tensor> gradient
    if isinstance(root, Tensor) and same_shape(<Tensor> root, g) and (<Tensor> root).code == g.code:
        return gradient
    shape, dtype = shape_and_dtype(root)
    if shape != tuple(shape_tuple(g)):
        raise errors.gradient_shape(index, tuple(shape_tuple(g)), shape)
    if dtype.is_complex != (FACTS.category[g.code] == CAT_COMPLEX):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                           f"Mismatch in dtype: grad_output[{index}] has a dtype of {gradient.dtype} and "
                           f"output[{index}] has a dtype of {dtype}.")
    return gradient
