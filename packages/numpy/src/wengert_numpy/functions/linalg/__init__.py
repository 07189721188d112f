"""Functions of linear algebra: products, decompositions, norms."""
