"""The memory of a program that is planned anew: spans of time in blocks, and their places in one arena."""
