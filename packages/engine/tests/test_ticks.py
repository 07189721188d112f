"""Times of events: readings of a counter that become nanoseconds of the monotonic clock."""

import struct
import time

import pytest
import wengert_core as wc
from wengert_engine.observe import observing
from wengert_engine.observe.clock import now
from wengert_engine.observe.event_buffer import Recording

pytestmark = pytest.mark.host("the clock and the counter of the processor: of no device, and thousands of operations")
EVENT = struct.Struct("<QqqqqIIIiHHB3x")


def events(recording):
    """What each event is of, its begin and end, and its thread."""
    kept, found, number = recording.kept, [], 0
    while (chunk := recording.take(number)) is not None:
        found += [(kept[row[0]], row[1], row[2], row[9]) for row in EVENT.iter_unpack(chunk)]
        number += 1
    return found


def test_now_is_the_monotonic_clock():
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    middle = now()
    assert before <= middle <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


@pytest.mark.parametrize("seconds", [0.0, 0.002, 0.05])
def test_an_event_lasts_as_long_as_the_clock_says(seconds):
    recording = Recording(0)
    observing.start(recording)
    outer = now()
    token = observing.begin_label("label")
    inner = now()
    time.sleep(seconds)
    inner_end = now()
    observing.end(token)
    outer_end = now()
    observing.stop()
    ((_, start, end, _),) = events(recording)
    slack = 2000 + (outer_end - outer) // 1000  # two looks at two clocks, and what a thousandth may be off
    assert outer - slack <= start <= inner + slack
    assert inner_end - slack <= end <= outer_end + slack
    assert end - start >= inner_end - inner - slack


def test_events_are_in_order_and_none_begins_before_the_recording():
    recording = Recording(0)
    observing.start(recording)
    x = wc.ones(2)
    for _ in range(20000):
        x * x
    observing.stop()
    last = recording.started
    for _, start, end, _ in events(recording):
        assert last <= start <= end
        last = end
    assert last <= now()


def test_a_recording_that_was_paused_goes_on():
    x = wc.ones(2)
    recording = Recording(0)
    observing.start(recording)
    x * x
    assert observing.stop() is recording
    x + x
    observing.resume(recording)
    with pytest.raises(RuntimeError, match="already enabled on this thread"):
        observing.resume(recording)
    x - x
    observing.stop()
    assert [(what.name, thread) for what, _, _, thread in events(recording)] == [("mul", 0), ("sub", 0)]
    assert recording.n_threads == 1
