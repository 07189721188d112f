# Nothing for Python: see record_events.pxd.
