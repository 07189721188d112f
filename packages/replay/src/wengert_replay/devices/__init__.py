"""Graphs on devices: work of a device that is captured once, and replayed by one call."""
