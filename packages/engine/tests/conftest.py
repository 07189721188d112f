"""The engine is there for each test file, also for one that is run alone."""

import wengert_engine  # noqa: F401
