"""DistributedDataParallel: PyTorch's arguments, buffers, state dicts and errors."""

from __future__ import annotations

import copy
import pickle

import pytest
import wengert as wg
import wengert_distributed as dist
from data_parallel_models import WIDTH, assert_close, build, gradients_of, gradients_of_whole_batch, mean_loss, trees
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_distributed.parallel.data_parallel import DistributedDataParallel
from wengert_testing.sim_group import Fault, run_ranks

nn = wg.nn


@pytest.fixture
def alone():
    dist.init_process_group("self")
    yield
    dist.destroy_process_group()


@settings(deadline=None, max_examples=10)
@given(tree=trees(), ranks=st.integers(2, 3), cap=st.sampled_from([0, 0.0001, 0.0005, None]), as_views=st.booleans(),
       mode=st.sampled_from(["", "static_graph", "find_unused_parameters"]), seed=st.integers(0, 2**16))  # fmt: skip
def test_a_module_on_several_ranks_has_the_gradients_of_the_whole_batch(tree, ranks, cap, as_views, mode, seed):
    wg.manual_seed(seed)
    module = build(tree)
    batches = wg.randn(3, 2 * ranks, WIDTH, dtype=wg.float64)
    options = {"bucket_cap_mb": cap, "gradient_as_bucket_view": as_views} | ({mode: True} if mode else {})

    def steps():
        model = DistributedDataParallel(copy.deepcopy(module), **options)
        found = []
        for batch in batches:
            model.zero_grad()
            mean_loss(model, batch.chunk(ranks)[dist.get_rank()]).backward()
            found.append(gradients_of(model.module))
        return found

    for found in run_ranks(ranks, steps, seed=seed):
        for one, batch in zip(found, batches, strict=True):
            assert_close(one, gradients_of_whole_batch(module, batch))


def test_no_sync_accumulates_what_is_computed_forward_inside():
    def accumulate():
        model = DistributedDataParallel(nn.Linear(1, 1, bias=False))
        x = wg.full((1, 1), dist.get_rank() + 1.0)
        with model.no_sync():
            loss = model(x).sum()
        loss.backward()
        first = model.module.weight.grad.item()
        model(x * 10).sum().backward()
        return first, model.module.weight.grad.item()

    assert run_ranks(2, accumulate) == [(1, 16.5), (2, 16.5)]


def test_parameters_and_buffers_begin_with_those_of_rank_0():
    def values():
        module = nn.BatchNorm1d(2)
        with wg.no_grad():
            module.weight.fill_(dist.get_rank() + 1.0)
        module.running_mean.fill_(dist.get_rank() + 5.0)
        model = DistributedDataParallel(module)
        return model.module.weight[0].item(), model.module.running_mean[0].item()

    assert run_ranks(2, values) == [(1, 5), (1, 5)]


@pytest.mark.parametrize("synced", [True, False])
def test_buffers_are_broadcast_before_each_forward(synced):
    def means():
        model = DistributedDataParallel(nn.BatchNorm1d(1), forward_sync_buffers=synced)
        for _ in range(2):
            model(wg.tensor([[0.0], [10.0]]) * (dist.get_rank() + 1)).sum().backward()
        return model.module.running_mean.item()

    first, second = run_ranks(2, means)
    assert first == pytest.approx(0.95)
    assert second == pytest.approx(0.5 * 0.9 + 1 if synced else 1.9)


def test_a_forward_without_gradients_reduces_nothing():
    def forward():
        model = DistributedDataParallel(nn.Linear(2, 1))
        with wg.no_grad():
            model(wg.ones(1, 2))
        model.eval()
        return dist.get_rank() == 0 or model(wg.ones(1, 2)).requires_grad

    assert run_ranks(2, forward) == [True, True]


def test_the_weight_of_a_sparse_embedding_has_a_sparse_gradient():
    def gradient():
        model = DistributedDataParallel(nn.Sequential(nn.Embedding(4, 2, sparse=True), nn.Linear(2, 1)))
        model(wg.tensor([dist.get_rank(), 3])).sum().backward()
        return model.module[0].weight.grad.indices().tolist(), model.module[1].bias.grad.item()

    assert run_ranks(2, gradient) == [([[0, 1, 3]], 2)] * 2


def test_a_sparse_gradient_in_a_bucket_is_an_error():
    def wrong():
        embedding = nn.Embedding(4, 2)
        model = DistributedDataParallel(embedding)
        embedding.sparse = True
        with pytest.raises(RuntimeError, match="Expected a dense gradient for parameter weight"):
            model(wg.tensor([1])).sum().backward()
        return True

    assert run_ranks(2, wrong) == [True, True]


def of_rank(*modules):
    return modules[dist.get_rank()]


@pytest.mark.parametrize(
    ("modules", "phrase"),
    [
        (lambda: of_rank(nn.Linear(2, 1), nn.Linear(2, 1, bias=False), nn.Linear(2, 1)),
         r"Rank 0 has 2 params, while rank 1 has inconsistent 1 params.*'bias' is on rank 0 only"),
        (lambda: of_rank(nn.Linear(2, 1), nn.Linear(2, 1), nn.Linear(3, 1)),
         r"params\[0\] \('weight' on rank 0\) in rank 2 with shape \(1, 3\).*shape \(1, 2\)"),
        (lambda: of_rank(nn.Linear(2, 1), nn.Linear(2, 1).double(), nn.Linear(2, 1)),
         r"in rank 1 with dtype 'torch.float64' appears not to match dtype 'torch.float32'"),
        (lambda: of_rank(nn.Linear(2, 1), nn.Linear(2, 1).requires_grad_(False), nn.Linear(2, 1)),
         r"doesn't have any parameter|in rank 1 with requires_grad False"),
        (lambda: of_rank(nn.ModuleDict({"a": nn.Linear(1, 1)}), nn.ModuleDict({"{b}": nn.Linear(1, 1)}),
                         nn.ModuleDict({"{b}": nn.Linear(1, 1)})),
         r"in rank 1 with name '{b}.weight'.*name 'a.weight'.*differ too: 2"),
    ],
)  # fmt: skip
def test_ranks_with_different_parameters_raise_the_first_difference(modules, phrase):
    def construct():
        module = modules()
        if not any(parameter.requires_grad for parameter in module.parameters()):
            module.register_parameter("other", nn.Parameter(wg.ones(1)))
        with pytest.raises(dist.DistError, match=f"(?s)DDP expects same model across all ranks.*{phrase}"):
            DistributedDataParallel(module)
        return True

    assert run_ranks(3, construct) == [True] * 3


def test_a_group_of_one_rank_calls_the_module_and_nothing_else(alone):
    model = DistributedDataParallel(nn.Linear(2, 1))
    model(wg.ones(3, 2)).mean().backward()
    assert model.module.weight.grad.tolist() == [[1, 1]]
    assert not any(parameter._post_accumulate_grad_hooks for parameter in model.parameters())


def test_a_state_dict_has_the_prefix_module(alone):
    model = DistributedDataParallel(nn.BatchNorm1d(2))
    names = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert list(model.state_dict()) == [f"module.{name}" for name in names]
    other = DistributedDataParallel(nn.BatchNorm1d(2))
    other.load_state_dict(model.state_dict())


def test_a_module_is_copied_and_pickled(alone):
    model = DistributedDataParallel(nn.Linear(2, 1), static_graph=True)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        again(wg.ones(1, 2)).sum().backward()
        assert again.module.weight.grad.tolist() == [[1, 1]]
        assert model.module.weight.grad is None


BAD_ARGUMENTS = [
    (lambda: DistributedDataParallel(nn.ReLU()), RuntimeError, "doesn't have any parameter that requires a gradient"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), device_ids=[0, 1]), ValueError, "contain a single element"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), device_ids=[0]), ValueError, "only work with single-device"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), output_device=1), ValueError, "output_device arguments"),
    (lambda: DistributedDataParallel(nn.LazyLinear(1)), RuntimeError, "Modules with uninitialized parameters"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), process_group=3), ValueError, "Process group 3"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), bucket_cap_mb=-1), ValueError, "bucket_cap_mb has to be"),
    (lambda: DistributedDataParallel(3), AttributeError, "named_parameters"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), param_to_hook_all_reduce=3), ValueError, "set at the same time"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1), mixed_precision=3), NotImplementedError, "no mixed_precision"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1)).register_comm_hook(None, 3), TypeError, "must be callable"),
    (lambda: DistributedDataParallel(nn.Linear(1, 1)).register_comm_hook(None, lambda s, b: None), KeyError, "bucket"),
]


@pytest.mark.parametrize(("call", "error", "phrase"), BAD_ARGUMENTS)
def test_bad_arguments_raise_errors_of_pytorch(alone, call, error, phrase):
    with pytest.raises(error, match=phrase):
        call()


def test_a_module_needs_a_process_group():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedDataParallel(nn.Linear(1, 1))


def test_a_static_graph_is_declared_before_the_first_forward(alone):
    model = DistributedDataParallel(nn.Linear(1, 1))
    model._set_static_graph()
    model = DistributedDataParallel(nn.Linear(1, 1))
    model(wg.ones(1, 1))
    with pytest.raises(RuntimeError, match="should be called before training loop starts"):
        model._set_static_graph()


def test_broadcast_buffers_is_deprecated(alone):
    with pytest.warns(FutureWarning, match="forward_sync_buffers"):
        model = DistributedDataParallel(nn.Linear(1, 1), broadcast_buffers=False)
    assert model.forward_sync_buffers is model.broadcast_buffers is False


def test_the_size_of_buckets_is_an_attribute(alone):
    sizes = [DistributedDataParallel(nn.Linear(1, 1), bucket_cap_mb=size).bucket_bytes_cap for size in (None, 2, 0.5)]
    assert sizes == [26214400, 2097152, 524288]


@pytest.mark.parametrize("options", [{}, {"find_unused_parameters": True}, {"static_graph": True}])
def test_outputs_may_be_changed_in_place(options):
    def gradient():
        model = DistributedDataParallel(nn.Linear(1, 1, bias=False), **options)
        for _ in range(2):
            model.zero_grad()
            output = model(wg.full((1, 1), dist.get_rank() + 1.0))
            output += 1
            output.mul_(3).sum().backward()
        return model.module.weight.grad.item()

    assert run_ranks(2, gradient) == [4.5, 4.5]


def test_a_module_that_is_wrapped_again_is_reduced_once():
    def gradient():
        linear = nn.Linear(1, 1, bias=False)
        DistributedDataParallel(linear)
        model = DistributedDataParallel(linear)
        model(wg.full((1, 1), dist.get_rank() + 1.0)).sum().backward()
        return linear.weight.grad.item(), len(linear.weight._post_accumulate_grad_hooks)

    assert run_ranks(2, gradient) == [(1.5, 1)] * 2


def test_a_rank_that_fails_ends_backward_on_the_others():
    def train():
        model = DistributedDataParallel(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)), bucket_cap_mb=0)
        for _ in range(5):
            model(wg.ones(1, 2)).sum().backward()

    results = run_ranks(3, train, faults=[Fault(1, 12, "raise")], return_exceptions=True, checks=False)
    assert all(isinstance(result, Exception) for result in results)
    for result in (results[0], results[2]):
        assert isinstance(result, dist.DistBackendError)
        assert "all_reduce" in str(result)
        assert "rank 1" in str(result)
