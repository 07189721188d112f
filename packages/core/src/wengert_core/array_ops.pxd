"""The driver of the array family."""
