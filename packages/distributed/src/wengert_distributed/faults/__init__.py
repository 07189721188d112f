"""Failures of ranks: who is where, and what a failed collective says."""
