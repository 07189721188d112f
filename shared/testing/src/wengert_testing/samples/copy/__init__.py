"""Samples of ops that copy and rearrange."""
