"""Embedding and EmbeddingBag: sparse and dense gradients, rows that are scaled, rows of the padding."""

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import nn

no_clock = settings(deadline=None, max_examples=25)
words = st.lists(st.integers(0, 5), min_size=1, max_size=8)


def table(cls, **options):
    rows = (wg.arange(18.0, dtype=wg.float64) * 0.7).sin().reshape(6, 3)
    return cls(6, 3, _weight=rows, **options)


@no_clock
@given(words, st.sampled_from([None, 2, -1]))
def test_sparse_gradient_is_the_dense_one(words, padding):
    grads = []
    for sparse in (False, True):
        layer = table(nn.Embedding, sparse=sparse, padding_idx=padding)
        rows = layer(wg.tensor(words))
        (rows * wg.arange(float(rows.numel())).reshape(rows.shape)).sum().backward()
        grad = layer.weight.grad
        assert grad.is_sparse == sparse
        grads.append(grad.to_dense() if sparse else grad)
    assert wg.allclose(*grads)


@no_clock
@given(st.lists(words, min_size=1, max_size=4), st.sampled_from(["sum", "mean", "max"]))
def test_bags_reduce_their_rows(bags, mode):
    layer = table(nn.EmbeddingBag, mode=mode)
    flat = wg.tensor([word for bag in bags for word in bag])
    offsets = [sum(map(len, bags[:number])) for number in range(len(bags))]
    got = layer(flat, wg.tensor(offsets))
    for row, bag in zip(got, bags, strict=True):
        picked = layer.weight[wg.tensor(bag)]
        expected = picked.amax(0) if mode == "max" else getattr(picked, mode)(0)
        assert wg.allclose(row, expected)


@no_clock
@given(words, st.sampled_from([1.0, 2.0, 3.0]))
def test_rows_that_are_looked_up_have_at_most_the_norm(words, norm_type):
    layer = table(nn.Embedding, max_norm=0.5, norm_type=norm_type)
    before = layer.weight.detach().clone()
    layer(wg.tensor(words))
    norms = layer.weight.detach().norm(norm_type, dim=1)
    for row in range(6):
        if row in words:
            assert norms[row] <= 0.5 + 1e-6
        else:
            assert wg.equal(layer.weight[row], before[row])


@pytest.mark.parametrize("cls", [nn.Embedding, nn.EmbeddingBag])
def test_row_of_the_padding_gets_no_gradient(cls):
    layer = table(cls, padding_idx=1)
    layer(wg.tensor([[1, 2], [1, 1]])).sum().backward()
    assert (layer.weight.grad[1] == 0).all()
    assert (layer.weight.grad[2] != 0).all()


def test_frozen_rows_share_the_memory_of_the_matrix():
    rows = wg.zeros(2, 3)
    layer = nn.Embedding.from_pretrained(rows)
    rows[1] = 5
    assert (layer(wg.tensor([1])) == 5).all()
    assert not layer.weight.requires_grad


@no_clock
@given(st.lists(st.integers(0, 11), min_size=1, max_size=6))
def test_adaptive_softmax_is_consistent_with_its_log_probabilities(targets):
    wg.manual_seed(0)
    layer = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7], div_value=2.0, dtype=wg.float64)
    x = wg.randn(len(targets), 8, dtype=wg.float64)
    log_probs = layer.log_prob(x)
    output, loss = layer(x, wg.tensor(targets))
    assert wg.allclose(log_probs.exp().sum(1), wg.ones(len(targets), dtype=wg.float64))
    assert wg.allclose(output, log_probs[wg.arange(len(targets)), wg.tensor(targets)])
    assert wg.allclose(loss, -output.mean())
    assert wg.equal(layer.predict(x), log_probs.argmax(1))
