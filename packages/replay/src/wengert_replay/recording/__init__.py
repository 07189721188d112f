"""What a function does while it runs: its operations and launches, and which value is where in memory."""
