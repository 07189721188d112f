"""What is refused inside of vmap is refused in the words, shapes and dims of one sample."""

from __future__ import annotations

import pytest
import wengert_core as wc
from wengert_functional.vmap import vmap

ops = wc.TABLE.ops
functional = {name.removeprefix("nn.functional."): op for name, op in ops.items() if name.startswith("nn.functional.")}
X = wc.arange(24.0).reshape(2, 3, 4)
INDEX = wc.tensor([[0, 1], [2, 9]])


def text_of(error_of):
    with pytest.raises((RuntimeError, IndexError, ValueError)) as found:
        error_of()
    return type(found.value), str(found.value)


CASES = {
    "softmax": (lambda x: ops["softmax"](x, 2), (X,)),
    "sort": (lambda x: ops["sort"](x, -3), (X,)),
    "topk": (lambda x: ops["topk"](x, 5), (X,)),
    "kthvalue": (lambda x: ops["kthvalue"](x, 7, 0), (X,)),
    "var": (lambda x: ops["var"](x, (0, 0)), (X,)),
    "logsumexp": (lambda x: ops["logsumexp"](x, (0, 2)), (X,)),
    "flip": (lambda x: ops["flip"](x, (2,)), (X,)),
    "tril": (lambda x: ops["tril"](x), (X[0],)),
    "roll": (lambda x: ops["roll"](x, (1, 2)), (X,)),
    "gather of a dim": (lambda x, i: ops["gather"](x, 1, i), (X[:, 0], INDEX)),
    "gather of a place": (lambda x, i: ops["gather"](x, 0, i), (X[:, 0], INDEX)),
    "index_select": (lambda x, i: ops["index_select"](x, 0, i), (X, INDEX)),
    "index_add": (lambda x, i: ops["index_add"](x, 0, i, X[0]), (X, INDEX)),
    "index_copy": (lambda x, i: ops["index_copy"](x, 0, i, X[0]), (X, INDEX)),
    "index_fill": (lambda x, i: ops["index_fill"](x, 0, i, wc.ones(2)), (X, INDEX)),
    "scatter": (lambda x, i: ops["scatter"](x, 0, i, X[0]), (X[:, 0], INDEX)),
    "masked_fill_": (lambda x: ops["masked_fill_"](x, wc.ones(2, 3, 4, dtype=wc.bool), 0.0), (X.clone(),)),
    "masked_scatter": (lambda x: ops["masked_scatter"](x, x > 0, wc.ones(2)), (X,)),
    "conv1d": (lambda x: functional["conv1d"](x, wc.ones(2, 2, 2)), (X,)),
    "conv1d of kernels": (lambda w: functional["conv1d"](X[0], w), (wc.ones(2, 2, 2, 2),)),
    "conv1d, bias": (lambda x, b: functional["conv1d"](x, wc.ones(2, 3, 2), b), (X, wc.ones(2, 3))),
    "avg_pool2d": (lambda x: functional["avg_pool2d"](x, 2), (X,)),
    "nll_loss": (lambda x, t: functional["nll_loss"](x, t), (X, INDEX)),
    "nll_loss, class": (lambda x, t: functional["nll_loss"](x, t), (X[:, :2], INDEX)),
    "pad": (lambda x: ops["constant_pad_nd"](x, [1] * 6), (X,)),
    "layout": (lambda x: ops["_layer_norm"](x, None, None, None, None, (1, 2, 1, 4, 1), 0.1), (X,)),
    "fft": (lambda x: ops["fft.fft"](x, None, 2), (X,)),
    "inv": (lambda x: ops["linalg.inv"](x), (X,)),
    "solve": (lambda x: ops["linalg.solve"](x[:, :3], wc.ones(2)), (X,)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_is_that_of_a_sample(name):
    function, tensors = CASES[name]
    each = []
    for i in range(2):
        try:
            function(*[t[i] for t in tensors])
        except (RuntimeError, IndexError, ValueError) as error:
            each.append((type(error), str(error)))
    assert each, f"{name} refuses none of the samples"
    assert text_of(lambda: vmap(function)(*tensors)) == each[0]


def test_a_singular_matrix_among_the_samples_is_named():
    matrices = wc.stack([wc.eye(2), wc.zeros(2, 2)])
    with pytest.raises(RuntimeError, match=r"\(Batch element 1\): The diagonal element 1 is zero"):
        vmap(ops["linalg.inv"])(matrices)


def test_out_is_refused():
    with pytest.raises(RuntimeError, match=r"Batching rule not implemented for aten::cumsum\.out"):
        vmap(lambda x: ops["cumsum"](x, 0, out=wc.empty(3, 4)))(X)


def test_a_lookup_outside_of_the_rows_is_found_in_any_sample():
    with pytest.raises(IndexError, match="index out of range in self"):
        vmap(lambda i: functional["embedding"](i, X[0]))(INDEX)


@pytest.mark.parametrize("name", ["scatter_add_", "index_add_", "index_copy_"])
def test_a_write_of_samples_into_one_tensor_is_refused(name):
    with pytest.raises(RuntimeError, match="`self` not being vmapped over"):
        vmap(lambda x: ops[name](wc.zeros(2), 0, wc.tensor([0, 1]), x))(X[:, 0, :2])
