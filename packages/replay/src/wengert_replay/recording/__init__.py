"""Recordings of functions that run: operations and launches, and which value is where in memory."""
