"""Continuous distributions of single numbers."""
