"""Derivatives of ops that copy and rearrange."""
