"""Print the operations of a function in the order in which they ran: the nodes of the graph that records them.

    python print_trace.py

Nodes have a number that says when they were recorded, and edges to those that they depend on.
"""

import wengert as wg
import wengert.numpy as np


def nodes_of(output):
    """Return the nodes behind a tensor, in the order in which they were recorded, and variables last."""
    nodes, waiting = {}, [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes:
            nodes[node] = None  # a dict keeps their order
            waiting += [following for following, _ in node.next_functions]
    return sorted(nodes, key=lambda node: node._sequence_nr())


def print_trace(function, *arguments):
    """Call a function with arrays or numbers, print a line for each recorded operation, and return the value."""
    variables = [wg.tensor(np.asarray(argument, dtype=float), requires_grad=True) for argument in arguments]
    value = function(*variables)
    nodes = nodes_of(value)
    names = {node: f"%{i}" for i, node in enumerate(nodes)}
    for node in nodes:
        inputs = [names[following] for following, _ in node.next_functions if following is not None]
        print(f"{names[node]} = {node.name()}({', '.join(inputs)})")
    return value


def average_of_sines(x, y):
    """Return a number that depends on two arrays."""
    return np.mean(np.sin(x) * y + x**2)


def main():
    value = print_trace(average_of_sines, np.linspace(0.0, 1.0, 5), np.ones(5))
    print(f"value {value.item():.6f}")


if __name__ == "__main__":
    main()
