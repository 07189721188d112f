"""Samples of losses."""
