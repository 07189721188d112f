"""The modes for deterministic algorithms: states, exceptions and messages of PyTorch 2.13."""

import numpy as np
import pytest
import wengert as wg


@pytest.fixture(autouse=True)
def _as_before():
    yield
    wg.use_deterministic_algorithms(False)


def state():
    return (wg.are_deterministic_algorithms_enabled(), wg.is_deterministic_algorithms_warn_only_enabled(),
            wg.get_deterministic_debug_mode())


def test_nothing_is_set_at_first():
    assert state() == (False, False, 0)


@pytest.mark.parametrize(("mode", "settings", "expected"), [
    (True, {}, (True, False, 2)), (True, {"warn_only": True}, (True, True, 1)), (False, {}, (False, False, 0)),
    (False, {"warn_only": True}, (False, True, 0)),
])  # fmt: skip
def test_a_mode_is_kept(mode, settings, expected):
    assert wg.use_deterministic_algorithms(mode, **settings) is None
    assert state() == expected


@pytest.mark.parametrize("wrong", [1, "x", None, 1.0, np.bool_(True), wg.tensor(True)], ids=lambda x: type(x).__name__)
def test_a_mode_is_a_bool(wrong):
    with pytest.raises(TypeError, match=r"argument 'mode' \(position 1\) must be bool, not " + type(wrong).__name__):
        wg.use_deterministic_algorithms(wrong)
    with pytest.raises(TypeError, match="argument 'warn_only' must be bool, not " + type(wrong).__name__):
        wg.use_deterministic_algorithms(True, warn_only=wrong)
    assert state() == (False, False, 0)


def test_warn_only_is_a_keyword():
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        wg.use_deterministic_algorithms(True, True)


@pytest.mark.parametrize(("debug_mode", "expected"), [
    (0, (False, False, 0)), (1, (True, True, 1)), (2, (True, False, 2)), (True, (True, True, 1)),
    (False, (False, False, 0)), ("default", (False, False, 0)), ("warn", (True, True, 1)), ("error", (True, False, 2)),
])  # fmt: skip
def test_a_debug_mode_sets_both(debug_mode, expected):
    assert wg.set_deterministic_debug_mode(debug_mode) is None
    assert state() == expected


@pytest.mark.parametrize("wrong", ["foo", "Default", "1"])
def test_a_debug_mode_is_one_of_three_words(wrong):
    text = f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {wrong}"
    with pytest.raises(RuntimeError) as caught:
        wg.set_deterministic_debug_mode(wrong)
    assert str(caught.value) == text


@pytest.mark.parametrize("wrong", [3, -1])
def test_a_debug_mode_is_one_of_three_numbers(wrong):
    with pytest.raises(RuntimeError, match=f"invalid value of debug_mode, expected 0, 1, or 2, but got {wrong}"):
        wg.set_deterministic_debug_mode(wrong)


@pytest.mark.parametrize("wrong", [1.0, None, [1], np.int64(1), wg.tensor(1)], ids=lambda x: type(x).__name__)
def test_a_debug_mode_is_a_word_or_an_int(wrong):
    with pytest.raises(TypeError, match="debug_mode must be str or int, but got <class"):
        wg.set_deterministic_debug_mode(wrong)


def test_an_operation_runs_in_every_mode():
    index, source = wg.tensor([0, 0, 1]), wg.ones(3)
    for debug_mode in (0, 1, 2):
        wg.set_deterministic_debug_mode(debug_mode)
        assert wg.zeros(2).index_add(0, index, source).tolist() == [2.0, 1.0]
        assert wg.zeros(2).put_(index, source, accumulate=True).tolist() == [2.0, 1.0]
