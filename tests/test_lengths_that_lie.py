"""Lists that say more items than there is memory for: their items count, not what they say."""

from operator import attrgetter

import pytest
import wengert as torch


class Long(list):
    def __len__(self):
        return 2**62 + 1


class Hinting:
    """An iterable with a hint, and no length."""

    def __init__(self, items):
        self.items = items

    def __length_hint__(self):
        return 2**62 + 1

    def __iter__(self):
        return iter(self.items)


class Record:
    def __init__(self, start):
        self.start = start

    def start_ns(self):
        return self.start


@pytest.fixture(params=[Long, Hinting])
def lying(request):
    return request.param


def events():
    with torch.autograd.profiler.profile() as profile:
        torch.ones(2) + 1
    return list(profile.function_events)


def test_list_of_events(lying, tmp_path):
    found = torch.autograd.profiler.EventList(lying(events()))
    assert [event.name for event in found] == [event.name for event in events()] != []


def test_records_of_memory(lying):
    records = [(Record(5),), (Record(3),)]
    found = torch.autograd.profiler.MemRecordsAcc(lying(records)).in_interval(0, 9)
    assert [one.start for (one,) in found] == [3, 5]


def test_sinks_of_a_profile(lying):
    assert torch.autograd.profiler.profile(sinks=lying(["a", "b"])).sinks == ["a", "b"]


def test_activities(lying):
    profiler = torch.autograd.profiler
    with profiler.profile() as profile:
        profile.toggle_collection_dynamic(False, lying([profiler.ProfilerActivity.CPU]))
        torch.ones(2) + 1
    assert list(profile.function_events) == []


def test_functions_of_a_graph():
    found = torch.compiler.allow_in_graph(Long([len, max]))
    assert type(found) is list
    assert found == [len, max]


@pytest.mark.parametrize("name", ["cat", "stack", "hstack", "linalg.multi_dot", "einsum"])
def test_tensors(name):
    function, x = attrgetter(name)(torch), torch.ones(2, 2)
    before = ("ij,kj->ik",) if name == "einsum" else ()
    expected = function(*before, [x, x])
    assert torch.equal(function(*before, Long([x, x])), expected)
