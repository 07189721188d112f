"""How many threads BLAS takes, and the products that share a batch."""

import threading

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.runtime import blas_lookup

pytestmark = pytest.mark.skipif(
    blas_lookup.num_threads() == 0,
    reason="NumPy's BLAS does not tell its threads, or is not asked (WENGERT_KERNELS=python)",
)


def test_one_thread_while_inside_and_as_many_as_before_after_it():
    before = blas_lookup.num_threads()
    with blas_lookup.OneThread():
        assert blas_lookup.num_threads() == 1
        with blas_lookup.OneThread():
            assert blas_lookup.num_threads() == 1
        assert blas_lookup.num_threads() == 1
    assert blas_lookup.num_threads() == before


def test_threads_that_come_and_go_leave_the_number_as_it_was():
    before = blas_lookup.num_threads()
    inside, go = threading.Barrier(3), threading.Event()

    def work(first):
        with blas_lookup.OneThread():
            inside.wait(10)
            assert first or go.wait(10)

    threads = [threading.Thread(target=work, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    inside.wait(10)
    threads[0].join(10)
    assert blas_lookup.num_threads() == 1
    go.set()
    threads[1].join(10)
    assert blas_lookup.num_threads() == before


@pytest.mark.parametrize("size", [64, 100, 200])
def test_products_leave_the_number_as_it_was(size):
    before = blas_lookup.num_threads()
    a = np.random.default_rng(0).standard_normal((size, size))
    np.testing.assert_allclose((wc.from_numpy(a) @ wc.from_numpy(a)).numpy(), a @ a, rtol=1e-10, atol=1e-10)
    assert blas_lookup.num_threads() == before


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_a_batch_of_products_is_shared_and_stays_the_same(dtype):
    numbers = np.random.default_rng(0)
    a, b = ((numbers.standard_normal((200, 24, 24)) * 9).astype(dtype) for _ in range(2))
    x, y = wc.from_numpy(a), wc.from_numpy(b)
    cases = [(x, y), (x.mT, y[:1]), (x, y[0])]
    before = wc.get_num_threads()
    try:
        for x, y in cases:
            found = []
            for threads in (1, 3):
                wc.set_num_threads(threads)
                found.append((x @ y).numpy())
            np.testing.assert_array_equal(found[0], found[1])
            np.testing.assert_allclose(found[0], x.numpy() @ y.numpy(), rtol=1e-4, atol=1e-3)
    finally:
        wc.set_num_threads(before)
