"""Distributions that are transforms of simpler ones."""
