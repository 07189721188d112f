"""Reductions, products, losses and normalizations are replayed by launches, to the bits of eager calls."""

from __future__ import annotations

import pytest
import wengert as wg
import wengert.nn.functional as F

from .launched import check_launched, gradients_of, numbers, numbers_with_gaps

FLOATS = (wg.float32, wg.float64, wg.float16, wg.bfloat16)
NAN = float("nan")


def with_nan(*shape, dtype=wg.float32):
    x = numbers(*shape, dtype=dtype)
    x[0, 1], x[-1, 0] = NAN, float("inf")
    return x


# ---- reductions


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax(dtype):
    def run(x):
        return x.softmax(-1), x.log_softmax(0), x.softmax(-2), x.softmax(1, dtype=wg.float64)

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(run), (make(3, 4, dtype=dtype),), (make(3, 4, dtype=dtype, shift=1),))
    check_launched(gradients_of(run), (with_nan(3, 4, dtype=dtype),))


def test_softmax_of_nothing_of_a_number_and_by_several_threads():
    check_launched(gradients_of(lambda x: x.softmax(-1)), (numbers(0, 3),))
    check_launched(gradients_of(lambda x: x.softmax(0)), (numbers(),))
    check_launched(gradients_of(lambda x: (x.softmax(1), x.log_softmax(0))), (numbers(300, 200),))


def test_extremes_and_their_places():
    def run(x):
        largest, at = x.max(1)
        smallest, where = x.min(0, keepdim=True)
        return largest, at, smallest, where, x.argmax(), x.argmin(1), x.amax(0), x.max(), x.aminmax()[0]

    for make in (numbers, numbers_with_gaps):
        check_launched(run, (make(3, 4),), (make(3, 4, shift=1),))
        check_launched(run, (make(3, 4, dtype=wg.int64),))
    check_launched(run, (with_nan(3, 4),))
    check_launched(gradients_of(lambda x: [x.max(1)[0], x.min(0)[0]]), (numbers(3, 4),), (numbers(3, 4, shift=1),))
    check_launched(lambda x: (x.max(1)[1], x.argmax()), (numbers(300, 200),))


def test_scans():
    for dtype in (wg.float32, wg.float64, wg.int32, wg.bool):
        for make in (numbers, numbers_with_gaps):
            check_launched(
                lambda x: (x.cumsum(0), x.cumsum(1), x.cumprod(-1), x.cumsum(0, dtype=wg.float64)),
                (make(3, 4, dtype=dtype),), (make(3, 4, dtype=dtype, shift=1),),
            )  # fmt: skip
    check_launched(gradients_of(lambda x: x.cumsum(0)), (numbers(3, 4),))
    check_launched(lambda x: (x.cumsum(0), x.cumsum(1)), (numbers(300, 200),))


def test_orders():
    def run(x):
        return [*x.sort(1), *x.sort(0, descending=True), *x.topk(2, 1), *x.kthvalue(2, 0), *x.median(1), x.argsort(1)]

    for make in (numbers, numbers_with_gaps):
        check_launched(run, (make(3, 4),), (make(3, 4, shift=1),))
    check_launched(run, (with_nan(3, 4),))
    check_launched(gradients_of(lambda x: [x.sort(1)[0], x.topk(2, 0)[0], x.median(1)[0]]), (numbers(3, 4),))
    check_launched(lambda x: [*x.sort(1), *x.topk(3, 0)], (numbers(100, 120),))


def test_long_reductions_in_sections():
    def run(x):
        return x.sum(), x.mean(), x.view(2, -1).sum(1), x.amax(), x.prod(), x.argmax()

    check_launched(run, (numbers(1 << 18, shift=0.3),), (numbers(1 << 18, shift=1),))
    check_launched(run, (numbers(1 << 18).half(),))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3,)])
def test_the_sign_of_zero_in_a_clamp(shape):
    zero, one = wg.zeros(shape), wg.ones(shape)
    for clamp in (
        lambda x: x.clamp(min=0), lambda x: x.clamp(max=0), lambda x: x.clamp(0, 1),
        lambda x: x.clamp(wg.tensor(0.0), wg.tensor(1.0)), lambda x: x.clamp(zero, one),
        lambda x: (x * 1).clamp(zero, one) * 1,
    ):  # fmt: skip
        check_launched(clamp, (wg.full(shape, -0.0),), (wg.zeros(shape),))


def test_reductions_of_nothing():
    check_launched(lambda x: (x.sum(1), x.prod(0), x.mean(0), x.sum(), x.any(1), x.all()), (numbers(0, 3),))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_variance_and_logsumexp(dtype):
    def run(x):
        return (
            x.var(),
            x.std(1),
            x.var(0, unbiased=False),
            x.logsumexp(1),
            x.logsumexp(0, True),
            x.var(-1, keepdim=True),
        )

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(run), (make(3, 9, dtype=dtype),), (make(3, 9, dtype=dtype, shift=1),))


def test_variance_and_logsumexp_of_large_tensors():
    check_launched(gradients_of(lambda x: (x.var(1), x.logsumexp(1), x.std())), (numbers(30, 5000),))


# ---- products


def test_products_of_all_ranks():
    sides = {
        "vectors": ((4,), (4,)), "matrix and vector": ((3, 4), (4,)), "vector and matrix": ((4,), (4, 3)),
        "matrices": ((3, 4), (4, 5)), "batches": ((2, 3, 4), (2, 4, 5)), "broadcast": ((2, 1, 3, 4), (5, 4, 2)),
        "three batch dims": ((2, 2, 2, 3, 4), (2, 1, 2, 4, 3)), "joined": ((2, 3, 4), (4, 5)),
        "column and row": ((3, 1), (1, 4)), "columns and rows": ((2, 3, 1), (2, 1, 4)),
        "broadcast columns": ((2, 1, 3, 1), (5, 1, 4)), "nothing between": ((3, 0), (0, 4)),
        "nothing": ((0, 3), (3, 2)),
    }  # fmt: skip
    for one, other in sides.values():
        for make in (numbers, numbers_with_gaps):
            for dtype in (wg.float32, wg.float64):
                check_launched(
                    gradients_of(lambda a, b: a @ b),
                    (make(*one, dtype=dtype), make(*other, dtype=dtype, shift=1)),
                    (make(*one, dtype=dtype, shift=2), make(*other, dtype=dtype, shift=3)),
                )
    for dtype in (wg.float16, wg.int64, wg.complex64):
        check_launched(lambda a, b: a @ b, (numbers(3, 4, dtype=dtype), numbers(4, 2, dtype=dtype)))


def test_large_products():
    shapes = [((70, 300), (300, 90)), ((600, 40), (40, 200)), ((8, 64, 64), (8, 64, 64)), ((100000,), (100000,)),
              ((300, 1), (1, 400)), ((128, 784), (784, 256)), ((2, 3, 64, 64), (2, 3, 64, 64))]  # fmt: skip
    for one, other in shapes:
        check_launched(
            lambda a, b: a @ b, (numbers(*one), numbers(*other, shift=1)), (numbers(*one, shift=2), numbers(*other))
        )


def test_products_with_something_added():
    def run(x, w, b):
        return (
            F.linear(x, w, b), wg.addmm(b, x, w.T), wg.addmm(b, x, w.T, beta=0.5, alpha=2), F.linear(x, w),
            wg.addmm(b, x, w.T, beta=0), wg.baddbmm(b, x[None], w.T[None]), wg.addmv(b, w, x[0]), wg.addr(w, b, x[0]),
        )  # fmt: skip

    for make in (numbers, numbers_with_gaps):
        check_launched(gradients_of(run), (make(3, 4), make(5, 4, shift=1), numbers(5)))
    check_launched(
        lambda a, b: (wg.outer(a, b), a.dot(b), wg.einsum("i,j->ij", a, b)), (numbers(4), numbers_with_gaps(4))
    )
    check_launched(gradients_of(lambda a, b: wg.einsum("bij,bjk->bik", a, b)), (numbers(2, 3, 4), numbers(2, 4, 3)))


def test_factorizations_and_systems():
    linalg = wg.linalg

    def run(a, b):
        whole = a @ a.mT + 3 * wg.eye(3, dtype=a.dtype)
        return [
            linalg.solve(whole, b), linalg.inv(whole), linalg.cholesky(whole), linalg.det(whole), wg.logdet(whole),
            linalg.solve_triangular(whole.tril(), b, upper=False), linalg.slogdet(whole)[1], linalg.eigvalsh(whole),
        ]  # fmt: skip

    for dtype in (wg.float32, wg.float64):
        for shape in ((3, 3), (2, 3, 3)):
            check_launched(
                gradients_of(run),
                (numbers(*shape, dtype=dtype), numbers(*shape, dtype=dtype, shift=1)),
                (numbers(*shape, dtype=dtype, shift=2), numbers(*shape, dtype=dtype, shift=3)),
            )
    check_launched(lambda a, b: linalg.solve(a + 60 * wg.eye(60), b), (numbers(60, 60), numbers(60, 2)))


# ---- networks


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_class_losses(dtype):
    target, weight = wg.tensor([2, 0, 3]), numbers(4, dtype=dtype).abs() + 1

    def run(x):
        return [
            F.cross_entropy(x, target), F.nll_loss(x, target, weight=weight),
            F.nll_loss(x, target, reduction="none"),
            F.cross_entropy(x, target, weight=weight, ignore_index=0, reduction="sum"),
        ]  # fmt: skip

    check_launched(gradients_of(run), (numbers(3, 4, dtype=dtype),), (numbers(3, 4, dtype=dtype, shift=1),))
    check_launched(gradients_of(run), (numbers_with_gaps(3, 4, dtype=dtype),))


def test_targets_that_are_arguments_are_checked_at_each_call():
    loss, captured = F.nll_loss, wg.capture(F.nll_loss)
    for target in ([0, 1], [3, 3], [4, 0], [2, 1], [0, -1]):
        results = []
        for function in (loss, captured):
            try:
                results.append(function(numbers(2, 4), wg.tensor(target)).tolist())
            except IndexError as error:
                results.append(str(error))
        assert results[0] == results[1]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normalizations(dtype):
    weight, bias = numbers(4, dtype=dtype) + 2, numbers(4, dtype=dtype, shift=1)

    def run(x):
        return F.layer_norm(x, (4,), weight, bias), F.layer_norm(x, (3, 4)), F.batch_norm(x, None, None, training=True)

    check_launched(gradients_of(run), (numbers(3, 4, dtype=dtype),), (numbers(3, 4, dtype=dtype, shift=1),))
    check_launched(gradients_of(run), (numbers_with_gaps(3, 4, dtype=dtype),))
    check_launched(gradients_of(lambda x: F.group_norm(x, 2, weight, bias)), (numbers_with_gaps(2, 4, 3, dtype=dtype),))


def test_large_normalizations():
    check_launched(gradients_of(lambda x: (F.layer_norm(x, (300,)), F.batch_norm(x, None, None, training=True))),
                   (numbers(200, 300),))  # fmt: skip


def test_pooling():
    def run(x):
        return [
            F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1, return_indices=True)[0], F.avg_pool2d(x, 2),
            F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(x, 3),
            F.adaptive_max_pool2d(x, (2, 3)), F.max_pool1d(x[0], 2), F.avg_pool1d(x[0], 3, 1),
        ]  # fmt: skip

    for dtype in (wg.float32, wg.float64, wg.float16):
        for make in (numbers, numbers_with_gaps):
            check_launched(
                gradients_of(run), (make(2, 3, 5, 6, dtype=dtype),), (make(2, 3, 5, 6, dtype=dtype, shift=1),)
            )
    check_launched(gradients_of(lambda x: F.max_pool2d(x, 2)), (numbers(2, 40, 32, 32),))
    check_launched(gradients_of(lambda x: F.max_pool3d(x, 2)), (numbers(1, 2, 4, 4, 4),))


def test_places_that_are_arguments_are_checked_at_each_call():
    def unpool(x, places):
        return F.max_unpool2d(x, places, 2)

    captured = wg.capture(unpool)
    for place in (1, 2, 99, 3, -1):
        results = []
        for function in (unpool, captured):
            try:
                results.append(function(numbers(1, 1, 1, 1), wg.full((1, 1, 1, 1), place, dtype=wg.int64)).tolist())
            except (IndexError, RuntimeError) as error:
                results.append(type(error))
        assert results[0] == results[1]


def test_running_statistics_are_written_at_each_replay():
    mean, var = wg.zeros(4), wg.ones(4)

    def run(x):
        return F.batch_norm(x, mean, var, training=True), mean.clone(), var.clone()

    captured = wg.capture(run)
    for shift in range(4):
        mean.zero_(), var.fill_(1)
        expected = run(numbers(3, 4, shift=shift))
        mean.zero_(), var.fill_(1)
        got = captured(numbers(3, 4, shift=shift))
        assert [one.tolist() for one in got] == [one.tolist() for one in expected]
    assert wg.replay.explain(captured).replays == 3


def test_a_recurrent_cell():
    w, v = numbers(7, 12), numbers(12)

    def cell(x, h, c, w, v):
        for _ in range(3):
            i, f, g, o = (wg.cat([x, h], 1) @ w + v).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return wg.stack([h, c])

    check_launched(gradients_of(cell), (numbers(2, 4), numbers(2, 3), numbers(2, 3, shift=1), w, v))


def test_a_step_of_a_classifier():
    layers = wg.nn.Sequential(wg.nn.Linear(6, 8), wg.nn.ReLU(), wg.nn.Linear(8, 4))

    def step(x, target):
        for parameter in layers.parameters():
            parameter.grad = None
        loss = F.cross_entropy(layers(x), target)
        loss.backward()
        with wg.no_grad():
            for parameter in layers.parameters():
                parameter.add_(parameter.grad, alpha=-0.1)
        return loss.detach()

    captured = wg.capture(step)
    x, target = numbers(5, 6), wg.tensor([0, 1, 2, 3, 0])
    state = [parameter.detach().clone() for parameter in layers.parameters()]
    histories = []
    for function in (step, captured):
        with wg.no_grad():
            for parameter, value in zip(layers.parameters(), state, strict=True):
                parameter.copy_(value)
                parameter.grad = None
        histories.append([function(x, target).item() for _ in range(6)])
    assert histories[0] == histories[1]
    found = wg.replay.explain(captured)
    assert found.replays >= 4
    assert all(program.n_calls == 0 for program in found.programs)


def test_numbers_that_are_tensors_are_read_at_each_replay():
    def step(x, y, size):
        z = x.clone()
        return z.addcdiv_(y, y * y + 1, value=size), x.addcmul(x, y, value=size.double()), x.addcmul(y, y, value=0.5)

    for make in (numbers, numbers_with_gaps):
        check_launched(
            step,
            (make(3, 4), make(3, 4, shift=1), wg.tensor(0.5)),
            (make(3, 4, shift=2), make(3, 4), wg.tensor(-2.25)),
        )
