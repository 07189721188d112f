"""Functions that reduce, sort or count: statistics, histograms, sets."""
