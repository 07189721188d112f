"""Operations that other ops compute agree with the references that a device without those would use."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import wengert_core as wc

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize(("padding", "align_corners"), list(itertools.product(range(3), (False, True))))
@pytest.mark.parametrize(("ndim", "mode"), [(2, 0), (2, 1), (2, 2), (3, 0), (3, 1)])
def test_images_at_the_places_of_a_grid(ndim, mode, padding, align_corners):
    image = RANDOM.normal(size=(2, 3, 4, 5, 3)[: ndim + 2])
    grid = RANDOM.uniform(-1.7, 1.7, size=(2, *(3, 4, 2)[:ndim], ndim))
    op = wc.TABLE.ops[f"_grid_sampler_{ndim}d"]
    found = op(wc.tensor(image), wc.tensor(grid), mode, padding, align_corners)
    np.testing.assert_allclose(found.numpy(), op.reference(np, image, grid, mode, padding, align_corners), atol=1e-12)


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("inputs", [[5, 5, 5], [3, 5, 0], [1, 2, 4]])
@pytest.mark.parametrize("flat", [False, True])
def test_alignments_of_labels(blank, inputs, flat):
    logs = np.log(RANDOM.dirichlet(np.ones(3), size=(5, 3)))
    outputs, labels = [2, 1, 0], np.array([[1, 1], [1, -1], [9, 9]])
    targets = labels[[0, 0, 1], [0, 1, 0]] if flat else labels
    op = wc.TABLE.ops["_ctc_loss"]
    found = op(wc.tensor(logs), wc.tensor(targets), inputs, outputs, blank, False)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found.numpy(), op.reference(np, logs, targets, inputs, outputs, blank))
