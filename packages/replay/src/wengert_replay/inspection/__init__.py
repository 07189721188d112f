"""Programs as text and graphs, counts and bytes, profiles, the check beside an eager run."""
