"""Results with a graph: a function as one node, whose forward and backward are one program with a return point."""
