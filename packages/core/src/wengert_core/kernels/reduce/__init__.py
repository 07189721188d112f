"""Loops that reduce, scan or sort along a dim."""
