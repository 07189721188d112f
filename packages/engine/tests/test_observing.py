"""Observing: what a recording holds, and that nothing is left behind. What is made of it: packages/profiler/tests."""

import gc
import struct
import threading
from functools import partial

import pytest
import wengert_core as wc
from wengert_core.dispatch.composite import Composite
from wengert_engine.observe import observing
from wengert_engine.observe.clock import now
from wengert_engine.observe.event_buffer import Recording

EVENT = struct.Struct("<QqqqqIIIiHHB3x")


def events(recording):
    """The records of a recording as dicts, with what they are of."""
    names = "what start end sequence memory shapes result stack parent thread depth kind".split()
    kept, found, number = recording.kept, [], 0
    while (chunk := recording.take(number)) is not None:
        found += [dict(zip(names, row, strict=True)) for row in EVENT.iter_unpack(chunk)]
        number += 1
    for event in found:
        event["what"] = kept.get(event["what"])
    return found


def recording_of(work, options=0):
    recording = Recording(options)
    observing.start(recording)
    try:
        work()
    finally:
        assert observing.stop() is recording
    return recording


def test_a_record_is_64_bytes():
    assert EVENT.size == 64


def test_an_operation_and_what_it_is_in():
    x = wc.ones(3)
    before = now()

    def work():
        token = observing.begin_label("label")
        x * 2
        observing.end(token)

    label, mul = events(recording_of(work))
    assert (label["what"], label["kind"], label["parent"], label["depth"]) == ("label", 3, -1, 0)
    assert (mul["what"].name, mul["kind"], mul["parent"], mul["depth"]) == ("mul", 0, 0, 1)
    assert before <= label["start"] <= mul["start"] <= mul["end"] <= label["end"] <= now()


@pytest.mark.host("twenty thousand operations, whatever they are of")
def test_no_object_is_made_for_an_event():
    x = wc.ones(3)

    def work():
        for _ in range(20000):
            x * 2

    recording = recording_of(work, 1 | 4)
    assert len(recording) == 20000
    assert len(recording.kept) == 1
    assert recording.nbytes() < 20000 * 64 * 2
    assert len(events(recording)) == 20000


def test_shapes_and_lines_are_kept_once():
    x, y = wc.ones(2, 3), wc.ones(3)
    recording = recording_of(lambda: [x + y, x + y, x * x], 1 | 4)
    first, second, third = events(recording)
    assert first["shapes"] == second["shapes"] != third["shapes"]
    assert recording.sequence(first["shapes"])[:5] == [2, 2, 3, 1, 3]
    assert first["stack"]
    assert recording.calls(first["stack"])[0][0] == __file__


def test_a_recording_is_read_once():
    recording = recording_of(lambda: wc.ones(2))
    assert recording.take(0) is not None
    observing.start(recording)  # as a thread that comes late would
    wc.ones(2)
    observing.stop()
    assert len(recording) == 1


def test_a_thread_is_recorded_once():
    recording = Recording(0)
    observing.start(recording)
    with pytest.raises(RuntimeError, match="already enabled on this thread"):
        observing.start(Recording(0))
    other = []
    thread = threading.Thread(target=lambda: other.append(observing.current_recording()))
    thread.start()
    thread.join()
    assert other == [None]
    assert observing.current_recording() is recording
    observing.stop()
    assert observing.stop() is None


def test_nobody_observing_a_label_costs_and_does_nothing():
    assert observing.begin_label("label") == -1
    observing.end(-1)


def test_an_end_for_another_recording_does_nothing():
    recording = Recording(0)
    observing.start(recording)
    token = observing.begin_label("first")
    observing.stop()
    second = Recording(0)
    observing.start(second)
    wc.ones(2)
    observing.end(token)
    observing.stop()
    assert [event["end"] > 0 for event in events(recording)] == [True]
    assert len(events(second)) == 1


def test_a_failing_operation_ends():
    def work():
        with pytest.raises(RuntimeError):
            wc.ones(2) + wc.ones(3)
        wc.ones(2)

    found = events(recording_of(work))
    assert [event["parent"] for event in found] == [-1, -1, -1, -1]
    assert all(event["end"] >= event["start"] > 0 for event in found)


class Listener:
    record_shapes = False

    def __init__(self):
        self.names = []

    def begin(self, kind, what, number, shapes):
        self.names.append(what.name)

    def end(self):
        self.names.append("end")


def test_listening_recording_and_watching_at_once():
    listener, written = Listener(), []
    observing.listen(listener)
    observing.watch(lambda tensor: written.append(tensor))
    try:
        x = wc.ones(2)
        recording = recording_of(lambda: x.mul_(2))
        x.add_(1)
    finally:
        observing.listen(None)
        observing.watch(None)
    x.sub_(1)
    assert listener.names == ["ones", "end", "mul_", "end", "add_", "end"]
    assert [tensor is x for tensor in written] == [True, True]
    assert [event["what"].name for event in events(recording)] == ["mul_"]


def test_a_listener_that_raises_is_told_no_more():
    class Bad(Listener):
        def begin(self, kind, what, number, shapes):
            raise ValueError("no")

    observing.listen(Bad())
    try:
        with pytest.warns(RuntimeWarning, match="Bad raised ValueError: no. It gets no more events"):
            x = wc.ones(2) * 2
    finally:
        observing.listen(None)
    assert x.tolist() == [2.0, 2.0]


def results(composites):
    return [one(2) for one in (*composites, Composite(lambda x: x, "new"))]


def test_functions_are_found_by_their_observers_and_by_nobody_else():
    def result_and_events(work):
        found = []
        return found, len(recording_of(lambda: found.append(work())))

    before = Composite(lambda x: x, "before")
    assert result_and_events(lambda: before(1)) == ([1], 1)
    assert before(1) == 1
    for _ in range(3):  # made and gone while observed, and after
        kept = [Composite(lambda x: x, f"f{i}") for i in range(5)]
        del kept[1::2]
        gc.collect()
        work = partial(results, kept)
        assert result_and_events(work) == ([[2] * 4], 4)
        assert [one(3) for one in kept] == [3] * 3
