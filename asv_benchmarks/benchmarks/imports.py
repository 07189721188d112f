"""Import times: timeraw_ benchmarks are strings that run in a fresh interpreter."""


def timeraw_wengert() -> str:
    """Everything that `import wengert` composes, NumPy included."""
    return "import wengert"


def timeraw_numpy() -> str:
    """What wengert stands on, to compare."""
    return "import numpy"


def timeraw_core() -> str:
    """Tensors alone."""
    return "import wengert_core"


def timeraw_first_gradient() -> tuple[str, str]:
    """What is loaded late: the first backward after the import."""
    run = "x = wengert.ones(3, requires_grad=True); (x * x).sum().backward()"
    return run, "import wengert"
