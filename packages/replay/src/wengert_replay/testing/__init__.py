"""Python entry points to passes and streams, for tests only."""
