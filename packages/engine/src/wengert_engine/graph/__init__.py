"""The graph: nodes and edges, the formulas that they run, and the attributes by which tensors show them."""
