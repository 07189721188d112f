"""Passes over launches: dead ones dropped, chains grouped into blocks, small values put into slots."""
