"""Gradients of embeddings that are divided by how often a row is used, and lengths that are held."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we

BAGS = wc.tensor([[0, 1], [0, 3], [0, 0]])
USES = np.array([4, 1, 1, 1])  # how often each row is used; one that is not used has no gradient anyway
OPS = wc.TABLE.ops


def gradient(name, **words):
    weight = wc.arange(8.0, dtype=wc.float64).reshape(4, 2).requires_grad_()
    loss = (OPS[f"nn.functional.{name}"](BAGS, weight, **words) * wc.tensor([[1.0, 2.0]], dtype=wc.float64)).sum()
    return we.grad(loss, weight)[0].numpy()


@pytest.mark.parametrize(("name", "words"), [("embedding", {}), ("embedding_bag", {"mode": "sum"}),
                                             ("embedding_bag", {"mode": "mean"})])
def test_the_gradient_is_divided_by_the_uses_of_a_row(name, words):
    scaled = gradient(name, scale_grad_by_freq=True, **words)
    np.testing.assert_allclose(scaled, gradient(name, **words) / USES[:, None])


def test_only_rows_that_are_used_are_shortened():
    weight = wc.tensor([[3.0, 4.0], [6.0, 8.0]])
    OPS["nn.functional.embedding"](wc.tensor([0]), weight, max_norm=1.0)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [6.0, 8.0]], rtol=1e-6)
