"""Batching rules of ops that copy and rearrange."""
