"""Op tables, core's own and those of plugins, and the lists of names that load them lazily."""
