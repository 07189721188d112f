"""Derivatives of losses."""
