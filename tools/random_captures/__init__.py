"""Random programs as text, run as they are and under ``wg.capture``: see ``__main__``."""
