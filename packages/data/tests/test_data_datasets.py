"""Datasets, samplers and batches: properties that hold for all lengths, pickling, and when modules are loaded."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st
from wengert.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    default_collate,
    random_split,
)
from wengert_data._utils.fetch import rows_of
from wengert_data._utils.pickling import dumps

LENGTHS = st.integers(0, 30)


def run(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


class Slow(TensorDataset):
    """The same samples, one at a time."""


@given(lengths=st.lists(LENGTHS, min_size=1, max_size=5), seed=st.integers(0, 2**32))
def test_splits_share_no_sample_and_leave_none_out(lengths: list[int], seed: int) -> None:
    if sum(lengths) == 1:
        return  # 1 is a fraction: all samples
    parts = random_split(range(sum(lengths)), lengths, wg.Generator().manual_seed(seed))
    assert [len(part) for part in parts] == lengths
    assert sorted(sample for part in parts for sample in part) == list(range(sum(lengths)))


@given(total=st.integers(10, 200), weights=st.lists(st.integers(10, 100), min_size=1, max_size=6))
def test_fractions_split_all_samples_in_proportion(total: int, weights: list[int]) -> None:
    fractions = [weight / sum(weights) for weight in weights]
    if sum(fractions) > 1:
        fractions = [fraction * (1 - 1e-12) for fraction in fractions]
    if total * min(fractions) < 1:
        return
    lengths = [len(part) for part in random_split(range(total), fractions)]
    assert sum(lengths) == total
    assert all(-1 < length - total * fraction <= 1 for length, fraction in zip(lengths, fractions, strict=True))


@given(parts=st.lists(st.lists(st.integers()), min_size=1, max_size=6))
def test_a_concatenation_has_the_samples_of_its_parts_in_order(parts: list[list[int]]) -> None:
    joined = [sample for part in parts for sample in part]
    data: ConcatDataset[int] = ConcatDataset(parts)
    assert len(data) == len(joined)
    assert [data[i] for i in range(len(joined))] == joined
    assert [data[-i - 1] for i in range(len(joined))] == joined[::-1]


@given(length=LENGTHS, size=st.integers(1, 12), drop_last=st.booleans())
def test_batches_of_indices_are_slices_of_the_order(length: int, size: int, drop_last: bool) -> None:
    sampler = BatchSampler(range(length), size, drop_last)
    slices = [list(range(length))[start : start + size] for start in range(0, length, size)]
    assert list(sampler) == [one for one in slices if len(one) == size or not drop_last]
    assert len(sampler) == len(list(sampler))


@given(length=st.integers(1, 30), replicas=st.integers(1, 7), seed=st.integers(0, 99), drop_last=st.booleans())
def test_shares_have_equal_lengths_and_cover_all(length: int, replicas: int, seed: int, drop_last: bool) -> None:
    data, ranks = range(length), range(replicas)
    shares = [list(DistributedSampler(data, replicas, rank, True, seed, drop_last)) for rank in ranks]
    assert {len(share) for share in shares} == {length // replicas if drop_last else -(-length // replicas)}
    indices = [index for share in shares for index in share]
    if drop_last:
        assert len(set(indices)) == len(indices)
    else:
        assert set(indices) == set(range(length))


@given(length=st.integers(1, 20), count=st.integers(1, 70))
def test_a_random_order_has_each_index_once_in_each_round(length: int, count: int) -> None:
    order = list(RandomSampler(range(length), num_samples=count))
    assert len(order) == count
    for start in range(0, count, length):
        part = order[start : start + length]
        assert len(set(part)) == len(part)
        assert set(part) <= set(range(length))


def test_all_orders_occur() -> None:
    generator = wg.Generator().manual_seed(0)
    orders = {tuple(SubsetRandomSampler("abc", generator)) for _ in range(200)}  # type: ignore[arg-type]
    assert len(orders) == 6


INDICES = st.lists(st.integers(0, 5), min_size=1, max_size=8)


@given(indices=INDICES, width=st.integers(0, 3), seed=st.integers(0, 9))
def test_rows_that_are_selected_are_the_samples_stacked(indices: list[int], width: int, seed: int) -> None:
    generator = wg.Generator().manual_seed(seed)
    tensors = [wg.randn(6, width, generator=generator), wg.arange(6), wg.arange(12).reshape(2, 6).t(), wg.ones(6) > 0]
    at_once, singly = (list(DataLoader(kind(*tensors), batch_sampler=[indices])) for kind in (TensorDataset, Slow))
    assert rows_of(TensorDataset(*tensors), indices) is not None
    for one, other in zip(at_once[0], singly[0], strict=True):
        assert wg.equal(one, other)
        assert (one.dtype, one.stride(), one.requires_grad) == (other.dtype, other.stride(), other.requires_grad)


@pytest.mark.parametrize("indices", [[], [6], [-1], [1.0], ["a"], [True], (0, 1), [wg.tensor(1)]], ids=str)
def test_indices_that_are_no_rows_are_left_to_the_dataset(indices: Any) -> None:
    assert rows_of(TensorDataset(wg.arange(6)), indices) is None


def test_samples_that_are_no_rows_are_left_to_the_dataset() -> None:
    with_history = TensorDataset(wg.ones(3, requires_grad=True))
    assert rows_of(with_history, [0]) is None
    assert rows_of(Slow(wg.ones(3)), [0]) is None
    assert rows_of([1, 2], [0]) is None
    assert rows_of(Subset(TensorDataset(wg.ones(3)), [0]), slice(1)) is None


def test_a_dataset_of_rows_sees_assigned_tensors() -> None:
    data = TensorDataset(wg.zeros(4))
    loader = DataLoader(data, 4)
    data.tensors = (wg.ones(4),)
    assert next(iter(loader))[0].tolist() == [1, 1, 1, 1]


def test_a_subclass_of_subset_uses_its_own_methods() -> None:
    class Negative(Subset[Any]):
        def __getitem__(self, idx: Any) -> Any:
            return tuple(-part for part in super().__getitem__(idx))

        def __getitems__(self, indices: Sequence[int]) -> list[Any]:
            return [self[one] for one in indices]

    (batch,) = DataLoader(Negative(TensorDataset(wg.arange(3)), [2, 1]), 2)
    assert batch[0].tolist() == [-2, -1]


@pytest.mark.parametrize("make", [pickle.dumps, copy.deepcopy], ids=["pickle", "deepcopy"])
def test_datasets_samplers_and_loaders_are_copied(make: Any) -> None:
    data = TensorDataset(wg.arange(6.0))
    loader = DataLoader(data + data, 4, shuffle=True, generator=wg.Generator().manual_seed(3))
    other = make(loader)
    other = pickle.loads(other) if isinstance(other, bytes) else other
    assert [batch[0].tolist() for batch in loader] == [batch[0].tolist() for batch in other]
    with pytest.raises(ValueError, match="batch_size attribute should not be set"):
        other.batch_size = 3


def test_numpy_arrays_become_tensors_of_their_memory_without_batches() -> None:
    array = np.zeros((2, 3))
    sample = next(iter(DataLoader(array, batch_size=None)))  # type: ignore[var-annotated]
    sample[0] = 5
    assert array[0, 0] == 5


def test_collating_tensors_of_a_subclass_uses_the_function_of_tensors() -> None:
    class Image(wg.Tensor):
        pass

    batch = default_collate([wg.ones(2).as_subclass(Image), wg.zeros(2).as_subclass(Image)])
    assert batch.tolist() == [[1, 1], [0, 0]]


def test_sparse_tensors_are_not_batched() -> None:
    with pytest.raises(RuntimeError, match="Batches of sparse tensors are not currently supported"):
        default_collate([wg.eye(2).to_sparse(), wg.eye(2).to_sparse()])
    with pytest.raises(RuntimeError, match="Batches of sparse tensors are not currently supported"):
        next(iter(DataLoader([wg.eye(2).to_sparse()])))


def test_an_iterator_is_an_object_of_its_own() -> None:
    loader: DataLoader[Any] = DataLoader(range(4))
    one, other = iter(loader), iter(loader)
    assert [next(one).item(), next(one).item(), next(other).item()] == [0, 1, 0]


def test_data_pipes_are_missing_and_say_so() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'IterDataPipe': data pipes are not part of wengert"):
        wg.utils.data.IterDataPipe  # noqa: B018
    with pytest.raises(AttributeError, match="data pipes are not part of wengert"):
        wg.utils.data.datapipes  # noqa: B018
    assert not hasattr(wg.utils.data, "functional_datapipe")
    with pytest.raises(ImportError, match="IterDataPipe"):
        from wengert.utils.data import IterDataPipe  # noqa: F401
    with pytest.raises(AttributeError, match=r"has no attribute 'Dataloader'$"):
        wg.utils.data.Dataloader  # noqa: B018


def test_a_sampler_outside_of_process_groups_asks_for_one() -> None:
    with pytest.raises(ValueError, match="process group has not been initialized"):
        DistributedSampler(range(3), num_replicas=2)


def test_iterable_datasets_are_added_to_a_chain() -> None:
    class Numbers(IterableDataset[int]):
        def __iter__(self) -> Any:
            return iter([1, 2])

    assert [batch.item() for batch in DataLoader(Numbers() + Numbers())] == [1, 2, 1, 2]


def test_a_dataset_needs_no_base_class() -> None:
    class Plain:
        def __getitem__(self, index: int) -> int:
            return index

        def __len__(self) -> int:
            return 3

    assert isinstance(ConcatDataset([Plain()]) + Plain(), Dataset)  # type: ignore[arg-type]
    assert [batch.tolist() for batch in DataLoader(Plain(), 2)] == [[0, 1], [2]]


def test_importing_wengert_loads_nothing_of_it() -> None:
    program = "import sys, wengert; print([name for name in sys.modules if name.startswith('wengert_data')])"
    assert run(program) == ["[]"]


def test_loading_without_workers_does_not_load_multiprocessing() -> None:
    program = """
import sys, wengert
from wengert.utils.data import DataLoader, TensorDataset
list(DataLoader(TensorDataset(wengert.ones(3)), 2, shuffle=True))
print({name for name in sys.modules if name.partition('.')[0] in ('multiprocessing', 'socket', 'dataclasses', 'queue')})
"""
    assert run(program) == ["set()"]


@pytest.mark.parametrize("statement", [
    "import wengert.utils.data as data; data.DataLoader",
    "from wengert.utils.data import *; DataLoader, default_collate",
    "from wengert.utils.data.dataset import T_co, random_split", "import wengert.utils.data.sampler",
    "from wengert.utils.data.distributed import DistributedSampler",
    "from wengert.utils.data.dataloader import default_collate, _BaseDataLoaderIter, _DatasetKind",
    "from wengert.utils.data._utils.collate import collate, default_collate_fn_map",
    "from wengert.utils.data._utils.fetch import _MapDatasetFetcher",
    "from wengert.utils.data import _utils; _utils.collate.default_collate",
    "from wengert.utils.data._utils.pin_memory import pin_memory; assert pin_memory(['a', (1,)]) == ['a', (1,)]",
    "from wengert.utils.data._utils.worker import WorkerInfo, _worker_info; assert _worker_info is None",
    "from wengert.utils.data._utils import MP_STATUS_CHECK_INTERVAL, ExceptionWrapper",
])  # fmt: skip
def test_names_are_imported_as_torchs_are(statement: str) -> None:
    assert run(f"import wengert; {statement}") == []


@pytest.mark.parametrize("requires_grad", [False, True])
def test_what_workers_send_of_a_view_is_what_its_elements_span(requires_grad: bool) -> None:
    row = wg.arange(1e5).reshape(100, 1000)[7:9, 3:5].requires_grad_(requires_grad)
    content = dumps(row)
    again = pickle.loads(content)
    assert len(content) < 6000
    assert (again.tolist(), again.stride(), again.requires_grad) == (row.tolist(), (1000, 1), requires_grad)


def test_what_workers_send_of_a_view_keeps_its_attributes_and_gradient() -> None:
    view = wg.arange(6.0)[2:].requires_grad_()
    view.grad, view.note = wg.ones(4), "text"
    again = pickle.loads(dumps(view))
    assert (again.tolist(), again.grad.tolist(), again.note) == (view.tolist(), [1, 1, 1, 1], "text")
