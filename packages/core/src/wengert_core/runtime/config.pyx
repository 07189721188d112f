"""Settings of the environment that are read once, when core is imported."""
import os
import warnings

KERNELS = os.environ.get("WENGERT_KERNELS", "")
ONLY_REFERENCES = KERNELS == "python"


def only_references():
    """Return whether NumPy's functions compute in place of kernels: WENGERT_KERNELS=python."""
    return ONLY_REFERENCES


if KERNELS not in ("", "python"):
    warnings.warn(f"WENGERT_KERNELS is {KERNELS!r} and has no effect; 'python' is its one value: plain NumPy calls in "
                  "place of native kernels", RuntimeWarning, stacklevel=2)
