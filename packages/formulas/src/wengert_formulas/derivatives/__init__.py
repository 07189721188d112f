"""Derivatives: the table that the rooms of this folder fill, a room for each family of ops."""
