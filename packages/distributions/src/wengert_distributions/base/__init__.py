"""The base classes of distributions, and what all of them share."""
