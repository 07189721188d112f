"""Updates of parameters by rules, one for each algorithm; small parameters are updated together, in buckets."""
