"""Operations that raise an error in a replay: what the run has written outside before is written once."""

import pytest
import wengert as wg

F = wg.nn.functional
TABLE = wg.arange(12.0).reshape(4, 3)

OPERATIONS = {
    "index": lambda i: TABLE[i],
    "index_select": lambda i: TABLE.index_select(0, i),
    "gather": lambda i: TABLE.gather(0, i[:, None]),
    "take": lambda i: TABLE.take(i),
    "embedding": lambda i: F.embedding(i, TABLE),
    "nll_loss": lambda i: F.nll_loss(TABLE[:1], i),
    "cross_entropy": lambda i: F.cross_entropy(TABLE[:1], i),
    "scatter": lambda i: wg.zeros(4, 3).scatter(0, i[:, None], 1.0),
    "scatter_add": lambda i: wg.zeros(4, 3).scatter_add(0, i[:, None], TABLE[:1, :1]),
    "index_add": lambda i: wg.zeros(4, 3).index_add(0, i, TABLE[:1]),
    "index_copy": lambda i: wg.zeros(4, 3).index_copy(0, i, TABLE[:1]),
    "index_fill": lambda i: wg.zeros(4, 3).index_fill(0, i, 2.0),
    "index_put": lambda i: wg.zeros(4, 3).index_put((i,), TABLE[0]),
}


def state_of(numbers, weight):
    grad = None if weight.grad is None else weight.grad.tolist()
    return numbers.tolist(), numbers._version, weight.tolist(), grad, wg.rand(1).item()


def write_numbers(numbers, weight, optimizer):
    numbers.add_(1)


def draw(numbers, weight, optimizer):
    numbers.copy_(wg.rand(3))


def step_optimizer(numbers, weight, optimizer):
    weight.grad.copy_(weight * 2)
    optimizer.step()


def accumulate(numbers, weight, optimizer):
    (weight * 3).sum().backward()


def write_many(numbers, weight, optimizer):
    """Numbers of a group of launches, which another one behind the error overwrites."""
    numbers.mul_(2)
    (TABLE.repeat(2000, 1) * numbers).sum()


@pytest.mark.parametrize("write", [write_numbers, draw, step_optimizer, accumulate, write_many])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_written_before(operation, write):
    def run(capture):
        wg.manual_seed(0)
        numbers, weight = wg.ones(3), wg.ones(3, requires_grad=True)
        weight.grad = wg.zeros(3)
        optimizer = wg.optim.Adam([weight], lr=0.1)

        def step(i):
            write(numbers, weight, optimizer)
            found = OPERATIONS[operation](i)
            numbers.add_(found.sum())
            return found

        function = wg.capture(step, quiet=True) if capture else step
        seen = []
        for index in (0, 1, 2, 0, 99, 1, 77, 2):
            try:
                seen.append(function(wg.tensor([index])).tolist())
            except (IndexError, RuntimeError) as error:
                seen.append(type(error))
            seen.append(state_of(numbers, weight))
        return seen, function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert wg.replay.explain(function).replays > 0


@pytest.mark.parametrize("first", [False, True])
def test_a_result_with_a_graph(first):
    """first: the error is in the first part of a program, and else in its backward."""

    def run(capture):
        numbers, weight = wg.zeros(()), wg.ones(4, 3, requires_grad=True)

        def step(i):
            numbers.add_(1)
            return (weight[i] if first else weight * 2).sum() * numbers

        function = wg.capture(step, quiet=True) if capture else step
        seen = []
        for index in (0, 1, 2, 9, 1, 9, 2):
            weight.grad = None
            try:
                function(wg.tensor([index])).backward()
                seen.append(weight.grad.tolist())
            except IndexError:
                seen.append("error")
            seen.append((numbers.item(), numbers._version))
        return seen, function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert wg.replay.explain(function).replays > 0


def test_large_groups_do_not_pass_an_operation_that_fails():
    """A sum over a group's result lies behind the index that depends on the group."""
    x, total = wg.rand(100_000), wg.zeros(100_000)

    def step(i):
        y = x * 2 + 1
        picked = y[i]
        total.add_(y * 3)
        return picked.sum()

    function, seen = wg.capture(step, quiet=True), []
    for index in (1, 2, 3, 200_000, 4):
        before = total.clone()
        try:
            function(wg.tensor([index]))
            seen.append(bool((total != before).all()))
        except IndexError:
            seen.append(bool((total == before).all()))
    assert seen == [True] * 5
    assert wg.replay.explain(function).replays > 0
