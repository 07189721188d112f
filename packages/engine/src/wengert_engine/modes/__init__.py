"""Modes of a thread: grad modes, strong zeros, transforms of functions; no module here knows the graph."""
