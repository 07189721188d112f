"""Samples of products of matrices and of linear algebra."""
