"""Settings that all tests of the repository share.

Note [A hundred thousand small tests]
    Most tests are a row of a table and take microseconds: what pytest does for each of them is most of their time. A
    process of pytest-xdist sends six messages for each test; four of them say that it begins and ends, and that its
    setup and its teardown passed. Without these four a run of small tests takes a third less time. Python's collector
    of garbage runs rarely while tests are collected, a quarter of that time, and never looks at what was made there:
    a full collection takes a second, and hundreds of tests ask for one.
"""

import gc
import signal

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")  # no test fails because a machine is busy
THRESHOLD = gc.get_threshold()


class Outcomes:
    """A plugin for a process of pytest-xdist: it sends the outcome of each test, and nothing of steps that passed."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C interrupt, which a shell has switched off for jobs in the background; programs of tests inherit it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Setup and teardown are asked for by reports that list them.
    every_step = config.getoption("durations") is not None or config.getoption("xmlpath", None)
    if hasattr(config, "workerinput") and not every_step:
        config.pluginmanager.register(Outcomes())
    gc.set_threshold(100_000, 20, 20)


def pytest_collection_finish() -> None:
    """Leave out what the collection of tests has made from later garbage collections."""
    gc.set_threshold(*THRESHOLD)
    gc.collect()
    gc.freeze()
