"""Checkpoints of batch normalizations: running statistics, and when hooks of saved tensors are called."""

import functools

import pytest
import wengert as wg
from wengert.utils.checkpoint import checkpoint


@pytest.mark.parametrize("early_stop", [True, False])
@pytest.mark.parametrize("depth", [1, 2])
def test_the_second_run_moves_running_statistics_once_more(depth, early_stop):
    """A batch normalization that made the last tensor which backward needs is not left half done."""
    norm, other = wg.nn.BatchNorm1d(2), wg.nn.BatchNorm1d(2)
    x = wg.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    f = norm
    for _ in range(depth):
        f = functools.partial(checkpoint, f, use_reentrant=False, early_stop=early_stop)
    f(x).sum().backward()
    runs = 2 if depth == 1 or early_stop else 3
    for _ in range(runs):
        other(x)
    assert wg.equal(norm.running_mean, other.running_mean)
    assert wg.equal(norm.running_var, other.running_var)
    assert norm.num_batches_tracked == other.num_batches_tracked


def test_pack_hooks_of_a_batch_normalization_run_when_it_is_done():
    norm = wg.nn.BatchNorm1d(2)
    seen = []

    def pack(tensor):
        seen.append(norm.running_mean.tolist())
        return tensor

    with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = norm(wg.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True))
    assert len(seen) >= 3
    assert seen == [norm.running_mean.tolist()] * len(seen)
    y.sum().backward()


def test_an_error_in_a_batch_normalization_leaves_later_hooks_alone():
    norm = wg.nn.BatchNorm1d(2)
    norm.running_mean = wg.zeros(2, dtype=wg.float64)
    packed = []
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: packed.append(1) or tensor, lambda tensor: tensor):
        with pytest.raises(RuntimeError):
            norm(wg.ones(3, 2, requires_grad=True))
        packed.clear()
        wg.ones(2, requires_grad=True).exp()
    assert packed == [1]
