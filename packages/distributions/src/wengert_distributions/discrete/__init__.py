"""Distributions of whole numbers, and of one of several outcomes."""
