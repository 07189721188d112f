"""Programs: the machine that runs launches, their memory, arguments and results, branches behind guards."""
