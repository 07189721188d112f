"""Products of matrices while a stream captures.

Note [Products of a capture]
    CuPy (13 and 14) raises NotImplementedError where it is to call cuBLAS while a stream captures. cuBLAS itself can be
    captured if its handle has memory to work in: what it allocates by itself would be freed when the graph still uses
    it. So products of a capture call the library here, with a handle that the capture has for itself, made before it
    begins, and a workspace in the graph's pool for each stream. Other calls are CuPy's as ever, whose bits may differ
    in the last place: which kernel cuBLAS takes depends on the workspace.
    Before the first capture on a device, a small graph of products is made, launched, and compared with what CuPy
    computes. Where anything fails there, or there is no library, products are CuPy's in captures too: the error says
    why, and captured functions run as usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from wengert_registry import fork_lock

from wengert_cuda.cublas import NUMBERS, Cublas, Operand, load

SMALL, LARGE = 4 << 20, 32 << 20
"""Bytes of a workspace, as cuBLAS's documentation recommends: before Hopper, and from then on."""
HOPPER = 90


def find_layout(a: Any, count: int) -> Operand | None:
    """Return how matrices lie in memory: array [..., r, c] with ``count`` matrices. None: not as cuBLAS reads them."""
    size = a.dtype.itemsize
    if any(step < 0 or step % size for n, step in zip(a.shape, a.strides, strict=True) if n > 1):
        return None
    *batch, row, column = [step // size for step in a.strides]
    *counts, r, c = a.shape
    step, inner = 0, 1  # of the dims from the last one up to here: one step for all matrices
    for n, one in zip(reversed(counts), reversed(batch), strict=True):
        if n == 1:
            continue
        if inner == 1:
            step = one
        elif one != step * inner:
            return None
        inner *= n
    if (c == 1 or column == 1) and (r == 1 or row >= c):
        return Operand(int(a.data.ptr), False, row if r > 1 else c, step)
    if (r == 1 or row == 1) and (c == 1 or column >= r):
        return Operand(int(a.data.ptr), True, column if c > 1 else r, step)
    return None


class CaptureProducts:
    """cuBLAS for one capture."""

    def __init__(self, cupy: Any, library: Cublas, handle: int, workspaces: dict[int, Any], nbytes: int) -> None:
        """workspaces: by stream, of the pool of the graph.   nbytes: of one."""
        self.cupy, self.library, self.handle, self.workspaces, self.nbytes = cupy, library, handle, workspaces, nbytes

    def takes(self, *arrays: Any) -> bool:
        """Whether cuBLAS has the dtype of a product; others CuPy computes by kernels of its own."""
        return np.result_type(*[one.dtype for one in arrays]).char in NUMBERS

    def matmul(self, a: Any, b: Any) -> Any:
        """The product as NumPy's ``matmul`` defines it. ValueError: shapes do not fit."""
        cupy, dtype = self.cupy, np.result_type(a.dtype, b.dtype)
        is_row, is_column = a.ndim == 1, b.ndim == 1
        a, b = (a[None] if is_row else a), (b[:, None] if is_column else b)
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(f"matmul: the last dim of {list(a.shape)} and the last but one of {list(b.shape)} differ")
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
        out = cupy.empty((*batch, m, n), dtype)
        if not k:
            out.fill(0)
        elif out.size:
            operands = [self.operand(cupy.broadcast_to(one.astype(dtype, copy=False), (*batch, *one.shape[-2:])),
                                     prod(batch)) for one in (a, b)]  # fmt: skip
            self.use_stream()
            (first, _), (second, _) = operands  # which keep copies alive up to here
            self.library.multiply(self.handle, dtype.char, (prod(batch), m, n, k), first, second, int(out.data.ptr))
        out = out[..., 0, :] if is_row else out
        return out[..., 0] if is_column else out

    def operand(self, a: Any, count: int) -> tuple[Operand, Any]:
        """The layout of an array for cuBLAS, or of a copy where it must; and what is kept alive until the call."""
        found = find_layout(a, count)
        if found is None:
            a = self.cupy.ascontiguousarray(a)
            found = find_layout(a, count)
        assert found is not None
        return found, a

    def use_stream(self) -> None:
        """Let the handle queue on the current stream, which may be another one than at the last product."""
        stream = int(self.cupy.cuda.get_current_stream().ptr)
        workspace = self.workspaces.get(stream)
        if workspace is None:
            workspace = self.workspaces[stream] = self.cupy.cuda.alloc(self.nbytes)
        self.library.use(self.handle, stream, int(workspace.ptr), self.nbytes)

    def contract(self, a: Any, names_a: str, b: Any, names_b: str, keep: str) -> tuple[Any, str]:
        """Sum a * b over the dims whose names are not in ``keep``; return the result and the names of its dims."""
        a, names_a = sum_others(a, names_a, names_b + keep)
        b, names_b = sum_others(b, names_b, names_a + keep)
        both = [name for name in names_a if name in names_b]
        batch, summed = [x for x in both if x in keep], [x for x in both if x not in keep]
        free_a, free_b = [x for x in names_a if x not in both], [x for x in names_b if x not in both]
        a = a.transpose([names_a.index(x) for x in (*batch, *free_a, *summed)])
        b = b.transpose([names_b.index(x) for x in (*batch, *summed, *free_b)])
        start, end = len(batch), len(batch) + len(free_a)
        columns, k = b.shape[len(both) :], prod(a.shape[end:])
        out = self.matmul(a.reshape(*a.shape[:start], prod(a.shape[start:end]), k),
                          b.reshape(*b.shape[:start], k, prod(columns)))  # fmt: skip
        return out.reshape((*a.shape[:end], *columns)), "".join([*batch, *free_a, *free_b])

    def einsum(self, subscripts: str, *arrays: Any) -> Any:
        """The sum of products of ``numpy.einsum``, of two arrays or more. None: of a kind that is not done here."""
        inputs, arrow, output = subscripts.replace(" ", "").partition("->")
        names = inputs.split(",")
        dots = {array.ndim - len(one) + 3 for one, array in zip(names, arrays, strict=True) if "..." in one}
        if not arrow or len(arrays) < 2 or len(dots) > 1:
            return None
        free = "0123456789"[: dots.pop() if dots else 0]
        *names, output = [one.replace("...", free) for one in (*names, output)]
        sizes: dict[str, int] = {}
        for one, array in zip(names, arrays, strict=True):
            pairs = zip(one, array.shape, strict=True)
            if len(set(one)) < len(one) or any(sizes.setdefault(name, n) != n for name, n in pairs):
                return None
        found, known = arrays[0], names[0]
        for k, (one, array) in enumerate(zip(names[1:], arrays[1:], strict=True), 2):
            found, known = self.contract(found, known, array, one, output + "".join(names[k:]))
        return found.transpose([known.index(name) for name in output])

    def tensordot(self, a: Any, b: Any, axes: tuple[Sequence[int], Sequence[int]]) -> Any:
        """The sum of products over pairs of axes."""
        letters = [chr(ord("a") + k) for k in range(a.ndim + b.ndim)]
        names_a, names_b = letters[: a.ndim], letters[a.ndim :]
        for one, other in zip(*axes, strict=True):
            names_b[other] = names_a[one]
        output = "".join([name for name in names_a + names_b if (name in names_a) != (name in names_b)])
        return self.einsum(f"{''.join(names_a)},{''.join(names_b)}->{output}", a, b)


class ProductHandles:
    """The handles of cuBLAS for captures, of all devices."""

    def __init__(self, plugin: Any) -> None:
        self.plugin = plugin
        self.library: Cublas | None = None
        self.why_not: dict[int, str] = {}  # by device: why products of captures are CuPy's; "": they are not
        self.free: dict[int, list[int]] = {}  # handles that no capture has
        self.lock = fork_lock()

    def reason(self, index: int) -> str:
        """Return why products of captures are CuPy's on a device; "" where they are not. The first call tries."""
        with self.lock:
            if index not in self.why_not:
                try:
                    self.library, why = load()
                    self.why_not[index] = why or self.try_out(index)
                except Exception as error:
                    self.why_not[index] = f"a trial has failed: {type(error).__name__}: {error}"
            return self.why_not[index]

    def begin(self, pool: Any, index: int) -> CaptureProducts | None:
        """Return cuBLAS for a capture that is about to begin on the current device; None: products are CuPy's."""
        return None if self.reason(index) else self.make(pool, index)

    def make(self, pool: Any, index: int) -> CaptureProducts:
        assert self.library is not None
        cupy, handles = self.plugin.cupy, self.free.setdefault(index, [])
        try:
            handle = handles.pop()
        except IndexError:
            handle = self.library.create()
        nbytes = LARGE if int(cupy.cuda.Device(index).compute_capability) >= HOPPER else SMALL
        return CaptureProducts(cupy, self.library, handle, pool.workspaces, nbytes)

    def end(self, products: CaptureProducts | None, index: int) -> None:
        """Take a handle back."""
        if products is not None:
            self.free[index].append(products.handle)

    def try_out(self, index: int) -> str:
        """Capture products, launch the graph, and compare; return why they cannot be used."""
        cupy, plugin = self.plugin.cupy, self.plugin
        pool, stream = plugin.make_graph_pool(), cupy.cuda.Stream(non_blocking=True)
        mine = self.make(pool, index)
        try:
            for kind in NUMBERS:
                a = cupy.arange(1, 25).reshape(2, 3, 4).astype(kind)
                pairs = [(a[0], a[1].T), (a, a.swapaxes(1, 2)), (a.swapaxes(1, 2), a[1]), (a[0, 0], a[1, 0])]
                expected = [cupy.matmul(*pair) for pair in pairs]
                cupy.cuda.get_current_stream().synchronize()
                with stream, cupy.cuda.using_allocator(pool.pool.malloc):
                    stream.begin_capture()
                    try:
                        found = [mine.matmul(*pair) for pair in pairs]
                    finally:
                        graph = stream.end_capture()
                    graph.launch(stream)
                    stream.synchronize()
                if any(abs(x.get() - y.get()).max() > 1e-3 * abs(y.get()).max()
                       for x, y in zip(found, expected, strict=True)):  # fmt: skip
                    return f"a trial with the dtype {np.dtype(kind)} gave other numbers than CuPy"
        finally:
            self.end(mine, index)
        return ""


def sum_others(a: Any, names: str, keep: str) -> tuple[Any, str]:
    """Sum over the dims whose names are not in ``keep``; return the result and the names of its dims."""
    others = tuple([d for d, name in enumerate(names) if name not in keep])
    return (a.sum(others), "".join([name for name in names if name in keep])) if others else (a, names)
