"""Give a function a derivative of your own: the logarithm of a sum of exponentials.

    python define_gradient.py

``primitive`` calls the function with NumPy's arrays, ``defvjp`` and ``defjvp`` say what its derivatives are. Written
without the maximum taken off, the function would overflow for large arguments, and its derivative would be nan.
"""

import wengert.numpy as np
from wengert.numpy import grad, primitive
from wengert.numpy.extend import defjvp, defvjp
from wengert.numpy.test_util import check_grads


@primitive
def logsumexp(x):
    """Return log(sum(exp(x)))."""
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


defvjp(logsumexp, lambda ans, x: lambda g: g * np.exp(x - ans))
defjvp(logsumexp, lambda g, ans, x: np.sum(g * np.exp(x - ans)))


def main():
    x = np.array([1.5, 6.7, 1e3])
    print(f"gradient of logsumexp at {x}: {grad(logsumexp)(x)}")
    check_grads(lambda x: logsumexp(np.sin(x) * x), modes=["fwd", "rev"], order=2)(np.array([0.3, -1.2, 2.0]))
    print("derivatives of order one and two agree with differences")


if __name__ == "__main__":
    main()
