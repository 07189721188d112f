"""A profile belongs to a thread, and can be handed on."""

import threading
from concurrent.futures import ThreadPoolExecutor

import wengert as wg
from wengert.autograd.profiler import profile
from wengert.profiler import carried


def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_other_threads_are_not_recorded():
    with profile() as prof:
        in_thread(lambda: wg.ones(2).exp())
        wg.ones(2)
    assert [event.name for event in prof.function_events] == ["aten::ones"]


def test_two_threads_have_two_profiles():
    profiles = []
    ready = threading.Barrier(2)

    def work(name):
        with profile() as prof:
            ready.wait()
            getattr(wg, name)(wg.ones(2))
            ready.wait()
        profiles.append({event.name for event in prof.function_events})

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, ["exp", "sin"]))
    assert sorted(profiles, key=sorted) == [{"aten::ones", "aten::exp"}, {"aten::ones", "aten::sin"}]


def test_what_is_handed_on_is_recorded_under_a_thread_of_its_own():
    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        y = x.exp().sum()
        in_thread(carried(y.backward))
    events = prof.function_events
    assert {event.thread for event in events if event.name in ("aten::exp", "aten::sum")} == {1}
    node = next(event for event in events if event.name == "ExpBackward0")
    assert (node.thread, node.fwd_thread) == (2, 1)
    assert x.grad is not None


def test_many_threads_write_to_one_profile():
    def work(n):
        for _ in range(n):
            wg.ones(2) * 2
        return n

    with profile() as prof, ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(carried(work), [500] * 8)) == 4000
    sums = {row.key: row.count for row in prof.key_averages()}
    assert sums == {"aten::ones": 4000, "aten::mul": 4000}
    assert all(event.cpu_parent is None for event in prof.function_events)


def test_a_thread_that_works_on_after_the_block_harms_nobody():
    go, gone = threading.Event(), threading.Event()

    def work():
        wg.ones(2)
        go.set()
        gone.wait()
        for _ in range(100):
            wg.ones(2) * 2

    with profile() as prof:
        thread = threading.Thread(target=carried(work))
        thread.start()
        go.wait()
    count = len(prof.function_events)
    gone.set()
    thread.join()
    assert count == len(prof.function_events) == 1


def test_outside_of_a_profile_a_function_is_given_back():
    assert carried(len) is len
