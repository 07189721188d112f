"""What all tests of the repository share."""

import gc


def pytest_collection_finish() -> None:
    """Leave out what the collection of tests has made from later garbage collections.

    With 100,000 tests a full one takes a second, and hundreds of tests ask for one.
    """
    gc.collect()
    gc.freeze()
