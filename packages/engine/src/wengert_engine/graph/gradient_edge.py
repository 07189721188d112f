"""Gradient edges: where a gradient goes, without the tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert_core.dispatch.op import find
from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.node import Node
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.messages import errors


class GradientEdge(NamedTuple):
    """Where a gradient of a tensor goes: a node and the number of its output. Roots and inputs of backward may be such.

    Unlike the tensor it holds no values. ownership_token: what else has to be kept alive, or None.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge of a tensor that requires grad; for a leaf it leads to the node that adds to its ``grad``.

    >>> import wengert_core as wc
    >>> from wengert_engine import grad
    >>> from wengert_engine.graph.gradient_edge import get_gradient_edge
    >>> x = wc.ones(2, requires_grad=True)
    >>> edge = get_gradient_edge(x * 2)
    >>> grad(edge, x, wc.ones(2))[0].tolist()
    [2.0, 2.0]
    """
    if not isinstance(tensor, Tensor):
        kind = type(tensor).__name__
        raise TypeError(f"get_gradient_edge(): argument 'tensor' (position 1) must be Tensor, not {kind}")
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, output_nr = edge_of(tensor)  # type: ignore[misc]    # it requires grad
    return GradientEdge(node, output_nr)


def given_edge(edge: Any) -> tuple[Any, int]:
    """(node, output_nr) of an edge that was given in place of a tensor."""
    if not isinstance(edge, GradientEdge):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(edge).__name__}")
    metadata_of(edge)
    return edge.node, edge.output_nr


def metadata_of(edge: GradientEdge) -> Any:
    """Shape and dtype of the output that an edge leads to. TypeError, IndexError for an edge that leads nowhere."""
    if not isinstance(edge.node, Node):
        raise TypeError(f"GradientEdge: node has to be a Node, but got {type(edge.node).__name__}")
    outputs = edge.node._input_metadata
    if not 0 <= edge.output_nr < len(outputs):
        raise IndexError(f"GradientEdge: {edge.node.name()} has no output {edge.output_nr}, it has {len(outputs)}")
    return outputs[edge.output_nr]


def first_gradient(edge: GradientEdge) -> Any:
    """The gradient 1 that an edge of a scalar starts with."""
    metadata = metadata_of(edge)
    if metadata.shape.numel() != 1:
        raise errors.implicit_gradient(tuple(metadata.shape))
    if not metadata.dtype.is_floating_point:
        raise errors.implicit_real(metadata.dtype)
    return find("ones")(tuple(metadata.shape), dtype=metadata.dtype, device=metadata.device)


def shape_and_dtype(root: Any) -> tuple[tuple[int, ...], Any]:
    """Of a root, a tensor or an edge."""
    found = root if isinstance(root, Tensor) else metadata_of(root)
    return tuple(found.shape), found.dtype
