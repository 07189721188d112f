"""Tensors on the memory of other ones, with a Storage of their own: ``x.data``, DLPack; and factories with strides."""

import warnings

import pytest
import wengert as wg

SHARES = "shares the memory of an argument"


def through_data(x):
    return (x * 2).data + 1


def write_through_data(x):
    return (x * 2).data.add_(1)


def data_of_a_value(x):
    y = x * 2
    y.data.mul_(3)
    return y + 0


def two_of_them(x):
    y = x * 2
    other = y.data.data
    other.add_(1)
    rows = other.view(-1).data
    rows.mul_(2)
    return y * 1


def of_a_view(x):
    return (x * 2)[1:].data.add_(1)


def of_a_view_that_goes_on(x):
    part = (x * 2)[1].data
    return part.sin() + part


def replace_memory(x):
    y = x * 2
    y.data = x * 3
    return y + 1


def of_dlpack(x):
    return wg.from_dlpack(x * 2).add_(1)


def of_dlpack_of_a_view(x):
    y = x * 2
    wg.from_dlpack(y[1]).add_(1)
    return y * 1


def with_gaps(x):
    made = wg.empty_strided((2, 3), (8, 1))
    made.copy_(x)
    result = made.sin()
    made.zero_()
    return result


def gaps_in_the_result(x):
    return wg.empty_strided((2, 3), (8, 1)).copy_(x)


def strides_of_columns(x):
    return x.new_empty_strided((2, 3), (1, 2)).copy_(x)


REPLAYED = [through_data, write_through_data, data_of_a_value, two_of_them, of_a_view,
            of_a_view_that_goes_on, replace_memory, of_dlpack, of_dlpack_of_a_view, with_gaps, gaps_in_the_result,
            strides_of_columns]  # fmt: skip


def number(k):
    return wg.arange(6.0).reshape(2, 3) + k


@pytest.mark.parametrize("function", REPLAYED, ids=lambda one: one.__name__)
def test_replays_give_the_numbers_of_the_call(function):
    captured = wg.capture(function)
    for k in range(5):
        found, expected = captured(number(k)), function(number(k))
        assert found.tolist() == expected.tolist()
        assert found.stride() == expected.stride()
        assert found._version == expected._version
    assert wg.replay.explain(captured).replays == 4


@pytest.mark.parametrize("writes", [False, True])
def test_the_data_of_an_argument_runs_as_usual(writes):
    def function(x):
        return x.data.add_(1) * 1 if writes else x.data * 2

    captured = wg.capture(function)
    with pytest.warns(RuntimeWarning, match=SHARES):
        captured(number(0))
    for k in range(3):
        x, y = number(k), number(k)
        assert captured(x).tolist() == function(y).tolist()
        assert x.tolist() == y.tolist()
        assert x._version == y._version == 0
    assert wg.replay.explain(captured).replays == 0


def test_the_data_of_an_argument_as_a_result_shares_its_memory():
    captured = wg.capture(lambda x: x.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(3):
            x = number(k)
            assert captured(x).data_ptr() == x.data_ptr()


def test_the_data_of_a_parameter_is_updated_by_replays():
    eager, replayed = wg.ones(2, 3, requires_grad=True), wg.ones(2, 3, requires_grad=True)

    def step_of(parameter):
        def step(x):
            parameter.grad = None
            (parameter * x).sum().backward()
            parameter.data.sub_(0.1 * parameter.grad)
            return parameter.detach() * 1

        return step

    captured, plain = wg.capture(step_of(replayed)), step_of(eager)
    for k in range(5):
        assert captured(number(k)).tolist() == plain(number(k)).tolist()
        assert replayed._version == eager._version
    assert wg.replay.explain(captured).replays > 0


def test_empty_strided_has_memory_of_its_own():
    made = wg.empty_strided((2, 3), (8, 1))
    assert made.untyped_storage().nbytes() == 44
    assert made._base is None
    assert not made.is_contiguous()
    assert wg.empty_strided((2, 3), (1, 2)).untyped_storage().nbytes() == 24
    assert wg.empty_strided((2, 0), (5, 1)).numel() == 0
    assert wg.empty_strided((2, 4), (0, 1)).stride() == (0, 1)
