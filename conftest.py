"""Settings that all tests of the repository share."""

import gc
import signal


def pytest_configure() -> None:
    """Let Ctrl-C interrupt, which a shell has switched off for jobs in the background; programs of tests inherit it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave out what the collection of tests has made from later garbage collections.

    With 100,000 tests a full one takes a second, and hundreds of tests ask for one.
    """
    gc.collect()
    gc.freeze()
