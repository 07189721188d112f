"""Random number generators, and samplers of distributions."""
