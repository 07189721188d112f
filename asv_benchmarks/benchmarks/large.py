"""Large tensors: memory and arithmetic count, not the cost of an op."""

import time
from collections.abc import Callable
from typing import Any

import wengert as wg

from .programs import LargeChain, numbers, tensors


class Elementwise:
    """mul, add, tanh, exp, sum of 10**7 float32, forward and backward."""

    params = ("numbers", "tensors")
    param_names = ("factor and term",)

    def setup(self, kind: str) -> None:
        self.program = LargeChain(wg, 10**7, scalars=kind == "numbers")

    def time_chain(self, kind: str) -> None:
        self.program()

    def peakmem_chain(self, kind: str) -> None:
        self.program()


class ShortRows:
    """Broadcasting along a short last dim: 10**6 rows of 4, 182,625 rows of 27."""

    params = (["row of 4", "row of 27", "column of 27"],)
    param_names = ("operand",)

    def setup(self, operand: str) -> None:
        rows, n = (10**6, 4) if operand == "row of 4" else (182_625, 27)
        self.x: Any = wg.rand(rows, n)
        self.y: Any = wg.rand(rows, 1) + 1 if operand.startswith("column") else wg.rand(n)

    def time_multiply(self, operand: str) -> None:
        self.x * self.y

    def time_divide(self, operand: str) -> None:
        self.x / self.y


class Matmul:
    """Square matrices; BLAS takes as many threads as the environment says (OPENBLAS_NUM_THREADS)."""

    params = ([64, 256, 1024], ["float32", "float64"])
    param_names = ("size", "dtype")

    def setup(self, size: int, dtype: str) -> None:
        names = tensors(wg, size, size)
        self.y, self.z = (names[name].to(getattr(wg, dtype)) for name in "yz")

    def time_matmul(self, size: int, dtype: str) -> None:
        self.y @ self.z

    def time_transposed(self, size: int, dtype: str) -> None:
        self.y.t() @ self.z


class Reductions:
    """A 1000 x 1000 tensor along all, rows and columns."""

    params = (["sum", "amax", "var", "argmax", "logsumexp", "cumsum", "softmax"], ["float32", "float64"], [0, 1])
    param_names = ("op", "dtype", "dim")

    def setup(self, op: str, dtype: str, dim: int) -> None:
        self.x: Any = wg.tensor(numbers(1000, 1000)).to(getattr(wg, dtype))
        self.op = getattr(wg, op)

    def time_reduce(self, op: str, dtype: str, dim: int) -> None:
        self.op(self.x, dim=dim)


class Copies:
    """Layouts and dtypes of 1000 x 1000 elements."""

    def setup(self) -> None:
        self.x = wg.tensor(numbers(1000, 1000))
        self.rows = wg.arange(999, -1, -1)

    def time_transposed_copy(self) -> None:
        self.x.t().contiguous()

    def time_to_bfloat16(self) -> None:
        self.x.to(wg.bfloat16)

    def time_to_float64(self) -> None:
        self.x.to(wg.float64)

    def time_index_select(self) -> None:
        wg.index_select(self.x, 0, self.rows)

    def time_cat(self) -> None:
        wg.cat([self.x, self.x])


class Threads:
    """The same kernel on one thread and on two: from where on the second pays (core's runtime/thread_pool.pxd)."""

    params = (["add", "exp", "sum", "softmax", "contiguous"], [2**15, 2**17, 2**19, 2**21, 2**23], [1, 2])
    param_names = ("op", "elements", "threads")

    def setup(self, op: str, n: int, threads: int) -> None:
        x: Any = wg.tensor(numbers(n)).reshape(-1, 512)
        self.before = wg.get_num_threads()
        wg.set_num_threads(threads)
        runs: dict[str, Callable[[], Any]] = {
            "add": lambda: x + x,
            "exp": lambda: x.exp(),
            "sum": lambda: x.sum(),
            "softmax": lambda: x.softmax(1),
            "contiguous": lambda: x.t().contiguous(),
        }
        self.run = runs[op]
        self.run()  # starts the threads

    def teardown(self, op: str, n: int, threads: int) -> None:
        wg.set_num_threads(self.before)

    def time_op(self, op: str, n: int, threads: int) -> None:
        self.run()


class AfterAPause:
    """Ten kernels after the threads have slept: does a second one come at once? See Note [Away from the caller]."""

    params = (1, 2)
    param_names = ("threads",)
    number, repeat, warmup_time = 1, 30, 0

    def setup(self, threads: int) -> None:
        self.x: Any = wg.tensor(numbers(10**6))
        self.before = wg.get_num_threads()
        wg.set_num_threads(threads)
        _ = self.x + self.x
        time.sleep(0.03)

    def teardown(self, threads: int) -> None:
        wg.set_num_threads(self.before)

    def time_ten_additions(self, threads: int) -> None:
        for _ in range(10):
            _ = self.x + self.x
