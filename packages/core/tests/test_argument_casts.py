"""Casts of arguments before a call runs: what is cast, what is refused, and what stays as it is."""

import gc
import threading

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.dispatch.argument_casts import ArgumentCasts, casts_again, casts_are_cached, set_argument_casts


@pytest.fixture
def casts():
    """A function that lets a dict from an op, or a function, to a cast be this thread's casts."""
    yield lambda table: set_argument_casts(ArgumentCasts(table.get))
    set_argument_casts(None)


def to_double(values):
    return [v.double() if isinstance(v, wc.Tensor) else v for v in values]


def test_an_op_gets_what_the_cast_gives(casts):
    casts({wc.exp: to_double, wc.add: to_double, wc.mm: to_double})
    x = wc.ones(2, 2)
    assert {wc.exp(x).dtype, x.exp().dtype, (x + x).dtype, wc.mm(x, x).dtype} == {wc.float64}
    assert {x.sin().dtype, (x * x).dtype} == {wc.float32}


def test_a_function_of_ops_gets_what_the_cast_gives(casts):
    seen = []
    norm = wc.TABLE.ops["linalg.vector_norm"]
    casts({norm: to_double, wc.TABLE.ops["linalg_vector_norm"]: seen.append})
    assert norm(wc.ones(4), ord=2).dtype is wc.float64
    assert norm(x=wc.ones(4)).dtype is wc.float64
    assert seen == []  # what it consists of is not cast


def test_keywords_are_cast_too(casts):
    casts({wc.mm: to_double, wc.TABLE.ops["nn.functional.mse_loss"]: to_double})
    loss = wc.TABLE.ops["nn.functional.mse_loss"]
    assert wc.mm(input=wc.ones(1, 1), mat2=wc.ones(1, 1)).dtype is wc.float64
    assert loss(wc.ones(2), target=wc.zeros(2), reduction="sum").dtype is wc.float64


def test_lists_of_tensors(casts):
    casts({wc.cat: lambda values: [[v.double() for v in values[0]], *values[1:]]})
    assert wc.cat([wc.ones(1), wc.ones(2)]).dtype is wc.float64


def test_out_and_in_place_are_left_alone(casts):
    casts({wc.exp: to_double})
    out, x = wc.empty(2), wc.ones(2)
    assert wc.exp(x, out=out) is out
    assert x.exp_() is x
    assert x.dtype is wc.float32


def test_each_function_is_asked_for_once():
    asked = []
    set_argument_casts(ArgumentCasts(asked.append))
    try:
        for _ in range(3):
            wc.ones(2).exp()
            wc.ones(2).exp().sum()
    finally:
        set_argument_casts(None)
    assert asked == [wc.exp, wc.sum]


def test_the_cast_itself_is_not_cast(casts):
    depth = []

    def cast(values):
        depth.append(len(depth))
        return [values[0].exp(), *values[1:]]

    casts({wc.exp: cast})
    wc.zeros(1).exp()
    assert depth == [0]


@pytest.mark.parametrize(("cast", "message"), [
    (lambda values: None, "gave NoneType, expected a list as long"),
    (lambda values: [], "gave list of 0, expected a list as long"),
    (lambda values: [3, *values[1:]], "argument 0 gave an object of type int for one of type Tensor"),
    (lambda values: [values[0], 1], "argument 1 gave an object of type int"),
    (lambda values: [np.ones(2), *values[1:]], "argument 0 gave an object of type ndarray"),
])  # fmt: skip
def test_a_cast_that_gives_something_else(casts, cast, message):
    casts({wc.exp: cast})
    with pytest.raises(TypeError, match=message):
        wc.exp(wc.ones(2))
    set_argument_casts(None)
    assert wc.exp(wc.zeros(1)).item() == 1


def test_a_list_that_loses_a_tensor(casts):
    casts({wc.cat: lambda values: [values[0][:1], *values[1:]]})
    with pytest.raises(TypeError, match="argument 0 gave an object of type list"):
        wc.cat([wc.ones(1), wc.ones(1)])


def test_a_cast_that_raises_leaves_the_casts_on(casts):
    def cast(values):
        raise ZeroDivisionError

    casts({wc.exp: cast, wc.sin: to_double})
    with pytest.raises(ZeroDivisionError):
        wc.exp(wc.ones(1))
    assert wc.ones(1).sin().dtype is wc.float64


def test_what_is_asked_for_may_be_no_function(casts):
    set_argument_casts(ArgumentCasts(lambda function: 3))
    with pytest.raises(TypeError, match="exp: its arguments are to be cast by an object of type int"):
        wc.exp(wc.ones(1))


def test_wrong_arguments():
    with pytest.raises(TypeError, match="argument 'casts_for' must be a function, not int"):
        ArgumentCasts(3)
    with pytest.raises(TypeError, match="argument 'again' must be a function or None, not int"):
        ArgumentCasts(print, 3)
    with pytest.raises(TypeError, match="argument 'caches' must be a function or None, not int"):
        ArgumentCasts(print, caches=3)
    with pytest.raises(TypeError, match="must be an ArgumentCasts or None, not dict"):
        set_argument_casts({})


def test_the_casts_before_are_given_back():
    first, second = ArgumentCasts(lambda f: None), ArgumentCasts(lambda f: None)
    assert [set_argument_casts(c) for c in (first, second, None, None)] == [None, first, second, None]


def test_casts_that_are_replaced_while_they_cast(casts):
    def cast(values):
        set_argument_casts(None)
        gc.collect()
        return to_double(values)

    casts({wc.exp: cast})
    assert wc.exp(wc.ones(1)).dtype is wc.float64
    assert wc.exp(wc.ones(1)).dtype is wc.float32


def test_a_list_that_the_cast_keeps_and_empties(casts):
    kept = []

    def cast(values):
        kept.append(to_double(values))
        return kept[0]

    casts({wc.mm: cast})
    threading.Timer(0, lambda: kept and kept[0].clear()).start()
    assert wc.mm(wc.ones(64, 64), wc.ones(64, 64)).dtype is wc.float64


def test_another_thread_has_none(casts):
    casts({wc.exp: to_double})
    found = []
    thread = threading.Thread(target=lambda: found.append(wc.exp(wc.ones(1)).dtype))
    thread.start()
    thread.join()
    assert found == [wc.float32]


def test_casts_again_are_those_of_now():
    log = []

    def again():
        log.append("asked")
        return lambda: log

    set_argument_casts(ArgumentCasts(lambda f: None, again))
    try:
        assert casts_again()() is log
    finally:
        set_argument_casts(None)
    assert log == ["asked"]
    with casts_again()():
        pass


def test_whether_casts_are_cached():
    assert not casts_are_cached("cpu")
    set_argument_casts(ArgumentCasts(lambda f: None))
    try:
        assert not casts_are_cached("cpu")
        set_argument_casts(ArgumentCasts(lambda f: None, caches=lambda kind: kind == "cuda"))
        assert (casts_are_cached("cpu"), casts_are_cached("cuda")) == (False, True)
    finally:
        set_argument_casts(None)
