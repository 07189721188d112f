"""wengert-testing: samples of operations, comparators and gradient checks, for tests of wengert and of its plugins."""

__version__ = "0.1.0"
