"""Observation: the events of operations that profilers and listeners get."""
