"""Ops and composites: how a call reads its arguments, who intercepts it, and the errors of its arguments."""
