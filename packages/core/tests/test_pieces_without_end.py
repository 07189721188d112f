"""More pieces, repeats and numbers than any memory holds: refused before the first is made. Lengths are read once."""

import pytest
import wengert_core as wc

ops = wc.TABLE.ops


class Length:
    """A length that acts when it is read."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __index__(self):
        self.act()
        return self.value

    def __radd__(self, other):
        return other + self.value

    def __lt__(self, other):
        return self.value < other


@pytest.mark.parametrize("cut", [
    lambda: ops["tensor_split"](wc.ones(5), 2**33),
    lambda: ops["tensor_split"](wc.ones(2, 5), 2**63 - 1, 1),
    lambda: wc.ones(0).chunk(2**33),
    lambda: wc.ones(1).expand(2**31).unbind(),
    lambda: wc.ones(1).expand(2**40).split(1),
    lambda: wc.ones(1).expand(2**40).tolist(),
    lambda: ops["nn.functional.pad"](wc.ones(2, 3), (2**33, 2**62), "replicate"),
], ids=["tensor_split", "tensor_split-dim", "chunk", "unbind", "split", "tolist", "pad"])  # fmt: skip
def test_pieces_that_no_memory_holds_are_refused_at_once(cut):
    with pytest.raises(MemoryError, match="do not fit into memory, expected at most"):
        cut()


@pytest.mark.parametrize("huge", [2**62, 2**63 - 1])
def test_pieces_longer_than_the_tensor_are_one_or_one_for_each_element(huge):
    x = wc.arange(5.0)
    assert [part.tolist() for part in x.split(huge)] == [[0.0, 1.0, 2.0, 3.0, 4.0]]
    assert [part.tolist() for part in x.chunk(huge)] == [[0.0], [1.0], [2.0], [3.0], [4.0]]


def test_a_length_that_resizes_the_tensor_is_read_before_the_tensor():
    x = wc.arange(5.0)
    with pytest.raises(RuntimeError, match=r"split_sizes to sum exactly to 0 .*split_sizes=\[2, 3\]"):
        x.split([Length(2, lambda: x.resize_(0)), 3])


def test_a_length_that_changes_its_value_is_read_once():
    x, answers = wc.arange(5.0), [2, 2**40]
    length = Length(0, lambda: None)
    length.act = lambda: setattr(length, "value", answers.pop(0))
    assert [part.tolist() for part in x.split([length, 3])] == [[0.0, 1.0], [2.0, 3.0, 4.0]]
    assert answers == [2**40]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_indices_are_repeated_by_their_counts(dtype):
    counts = wc.tensor([2, 0, 3], dtype=getattr(wc, dtype))
    found = ops["repeat_interleave"](counts)
    assert (found.tolist(), found.dtype) == ([0, 0, 2, 2, 2], counts.dtype)
    assert ops["repeat_interleave"](counts[1:2]).shape == (0,)


def test_repeats_that_no_memory_holds_are_refused_at_once():
    for counts, words in (([2**40], "can't allocate memory"), ([2**62], "Storage size calculation overflowed"),
                          ([2**62, 2**62], "without overflow")):  # fmt: skip
        with pytest.raises(RuntimeError, match=words):
            ops["repeat_interleave"](wc.tensor(counts))
    with pytest.raises(RuntimeError, match="only accept 1D vector as repeat"):
        ops["repeat_interleave"](wc.tensor(3))


def test_a_fill_of_an_expanded_tensor_writes_its_memory_once():
    x = wc.arange(3.0).reshape(3, 1)
    x.expand(3, 2**40).fill_(7)
    assert x.tolist() == [[7.0], [7.0], [7.0]]
    x[:1].expand(2**31, 2**31).zero_()
    assert x.tolist() == [[0.0], [7.0], [7.0]]
    x.expand(3, 0).fill_(1)
    assert x.tolist() == [[0.0], [7.0], [7.0]]
