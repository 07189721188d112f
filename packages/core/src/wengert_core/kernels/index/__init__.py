"""Loops that gather and scatter along a dim."""
