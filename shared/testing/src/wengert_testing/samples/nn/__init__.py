"""Samples of network layers."""
