"""Files of a profile, and sinks that get its results: Chrome traces, flame graphs, traces of other programs."""
