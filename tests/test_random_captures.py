"""tools/random_captures: random programs run as they are and captured; a small number of each kind."""

import pytest
import wengert as wg

PROGRAMS = {"plain": 20, "training": 12, "transforms": 10, "control": 12, "extras": 12, "saved": 12}
REPLAYS = 10  # at least, of each kind: a program that only runs as usual proves nothing


@pytest.mark.parametrize("kind", PROGRAMS)
def test_captured_programs_are_as_they_are_without_a_capture(tool, kind):
    random_capture, compare = tool("random_captures.generate").random_capture, tool("random_captures.run").compare
    replays = 0
    for seed in range(PROGRAMS[kind]):
        text = random_capture(seed, kind).text()
        outcome = compare(text)
        assert outcome.difference is None, f"{text}{outcome}"
        replays += outcome.replays
    assert replays > REPLAYS


def test_a_seed_gives_the_same_program(tool):
    random_capture = tool("random_captures.generate").random_capture
    texts = [random_capture(seed, "plain").text() for seed in range(5)]
    assert texts == [random_capture(seed, "plain").text() for seed in range(5)]
    assert len(set(texts)) == 5


# a count of Python that no look at a function's state finds
COUNTS = '''def scenario(capture, reload, call, see):
    w0 = wg.ones(2)
    kept = __import__("os").environ
    kept["WENGERT_TEST_COUNT"] = ""
    def function(a0):
        kept["WENGERT_TEST_COUNT"] += "x"
        v1 = a0 + len(kept["WENGERT_TEST_COUNT"])
        v2 = v1 * 3
        return v2
    f = capture(function)
    a0 = wg.zeros(2)
    r0 = call(f, a0)
    see(r0)
    r1 = call(f, a0)
    see(r1, a0, w0)
'''


def test_a_program_that_depends_on_a_count_differs(tool):
    difference = tool("random_captures.run").compare(COUNTS).difference
    assert (difference.fact, difference.number, difference.where) == ("values", 1, "[0].values")
    assert (difference.eager, difference.captured) == ([6.0, 6.0], [3.0, 3.0])


@pytest.mark.parametrize(("fact", "line"), [
    ("values", "w0.add_(1)"), ("version", "w0.add_(0)"), ("requires_grad", "w0.requires_grad_()"),
    ("grad", "w0.grad = wg.ones(2)"), ("dtype", "w0.data = w0.double()"),
    ("strides", "w0.as_strided_((2,), (0,))"), ("result", "wg.rand(1)"), ("last bits", "w0[0] += 1e-7"),
])
def test_each_fact_is_compared(tool, fact, line):
    """A statement that one of the two runs does not have."""
    observe, run = tool("random_captures.observe"), tool("random_captures.run")
    texts = [COUNTS.replace("kept.append(1)", "pass").replace("a0 = wg.zeros(2)", f"a0 = wg.zeros(2)\n    {one}")
             for one in ("pass", line)]
    seen = [run.execute(text, is_captured=False).seen for text in texts]
    difference = observe.first_difference(*seen)
    assert difference.fact == fact
    assert observe.first_difference(seen[0], seen[0]) is None


def test_shared_memory_is_compared(tool):
    observe, run = tool("random_captures.observe"), tool("random_captures.run")
    seen = []
    for view in ("a0.view(2)", "a0.clone()"):
        text = COUNTS.replace("kept.append(1)", "pass").replace("see(r0)", f"see(a0, {view})")
        seen.append(run.execute(text, is_captured=False).seen)
    assert observe.first_difference(*seen).fact == "memory"


def test_errors_and_warnings_are_compared(tool):
    observe, run = tool("random_captures.observe"), tool("random_captures.run")
    for statement, fact in (("raise ValueError('x')", "error"), ("wg.std(wg.ones(1))", "warnings")):
        texts = [COUNTS.replace('kept["WENGERT_TEST_COUNT"] += "x"', one) for one in ("pass", statement)]
        seen = [run.execute(text, is_captured=False).seen for text in texts]
        assert observe.first_difference(*seen).fact == fact


def test_a_program_is_shortened_to_what_differs(tool):
    program, run = tool("random_captures.program").Program, tool("random_captures.run")
    has_fact = tool("random_captures.__main__").has_fact
    count, value = 'kept["WENGERT_TEST_COUNT"] += "x"', 'v1 = a0 + len(kept["WENGERT_TEST_COUNT"])'
    outside = ["w0 = wg.ones(2)", 'kept = __import__("os").environ', 'kept["WENGERT_TEST_COUNT"] = ""']
    long = program(outside=outside, arguments=["a0"], results=["v1", "v2"],
                   body=[count, value, "v2 = a0 * 3"], inputs=["a0 = wg.zeros(2)"],
                   calls=["r0 = call(f, a0)", "see(r0)", "wg.manual_seed(3)", "r1 = call(f, a0)", "see(r1, w0)"])
    short = tool("random_captures.shrink").shrink(long, lambda one: has_fact(one, "values"))
    assert (short.body, short.results) == ([count, value], ["v1"])
    assert len(short.calls) < 5
    assert run.compare(short.text()).difference.fact == "values"


def test_the_numbers_of_a_large_tensor_are_sampled(tool):
    observe = tool("random_captures.observe")
    large = wg.arange(1_000_000.0).view(1000, 1000)
    one, other = observe.numbers(large), observe.numbers(large.clone())
    assert one == other
    assert len(one.data) <= 4 * observe.MOST_NUMBERS
    other = large.clone()
    other[0, 1] = -1.0  # which is not among those that are kept
    found = observe.differ({"values": one}, {"values": observe.numbers(other)}, "")
    assert found is not None
    assert found[0] == ".values"
    assert found[1] == found[2]
