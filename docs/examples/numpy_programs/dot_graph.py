"""Write the graph of a function in Graphviz's language.

    python dot_graph.py > graph.dot; dot -Tsvg graph.dot > graph.svg

Operations are ellipses, variables boxes; arrows go from operands to results. ``wengert.graph.draw`` does more.
"""

import wengert as wg
import wengert.numpy as np
from print_trace import nodes_of


def dot_lines(function, *arguments):
    """Return the lines of a graph of a function's operations for arrays or numbers."""
    variables = [wg.tensor(np.asarray(argument, dtype=float), requires_grad=True) for argument in arguments]
    nodes = nodes_of(function(*variables))
    names = {node: f"node{i}" for i, node in enumerate(nodes)}
    lines = ["digraph {"]
    for node in nodes:
        is_variable = not node.next_functions
        label = "variable" if is_variable else node.name().removesuffix("Backward0")
        lines.append(f'  {names[node]} [label="{label}", shape={"box" if is_variable else "ellipse"}];')
        lines += [f"  {names[before]} -> {names[node]};" for before, _ in node.next_functions if before is not None]
    return [*lines, "}"]


def logistic_loss(weights, bias):
    """Return a number that depends on two variables."""
    inputs = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
    return np.sum(np.log(1.0 + np.exp(np.dot(inputs, weights) + bias)))


def main():
    print("\n".join(dot_lines(logistic_loss, np.ones(3), 0.5)))


if __name__ == "__main__":
    main()
