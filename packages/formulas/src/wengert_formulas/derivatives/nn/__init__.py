"""Derivatives of network layers."""
