"""Options of Cython, the compiler and the linker, for each mode of building that the environment asks for.

Note [Hot functions]
    The functions of an everyday call are some hundreds of thirty thousand, and lie all over megabytes. Where too many
    of them share lines of the first-level cache they push each other out: which ones do is chance, and changes with
    every commit (a recorded select: 0 to 40 misses). hot.txt names them, and the linker of Linux puts them side by
    side, each at the beginning of a line: recorded operations take 7 % less time. tools/hot_functions.py writes it; a
    name that is gone does no harm.
"""

import os
import sys
from pathlib import Path

CHECKED = os.environ.get("WENGERT_CHECKED", "") not in ("", "0")
SANITIZERS = {
    "address": ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"],
    "thread": ["-fsanitize=thread", "-fno-omit-frame-pointer"],
}
SANITIZE = os.environ.get("WENGERT_SANITIZE", "")
if SANITIZE and SANITIZE not in SANITIZERS:
    raise SystemExit(f"error: WENGERT_SANITIZE={SANITIZE!r}: expected one of {', '.join(SANITIZERS)}, or nothing")
QUICK = os.environ.get("WENGERT_QUICK", "") not in ("", "0")
MODE = SANITIZE or ("checked" if CHECKED else "quick" if QUICK else "fast")
FAST = MODE == "fast"
SYMBOLS = os.environ.get("WENGERT_SYMBOLS", "") not in ("", "0")
HOT = Path("hot.txt")
GATHERS = FAST and sys.platform == "linux" and HOT.exists()  # Note [Hot functions]
JOBS = int(os.environ.get("WENGERT_JOBS", "0")) or os.cpu_count() or 1

# For .pyx files: the language of a kernel. A plain .py module keeps the meaning it has in Python.
CYTHON = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,  # with boundscheck a negative index is then an IndexError
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "allow_none_for_extension_args": False,  # a parameter of one of our types is None only where it says `or None`
    "embedsignature.format": "clinic",  # of classes that ask for it: help() and inspect.signature() read it
    "overflowcheck": CHECKED,
    "cdivision": True,  # the meaning of // and % is C's in both builds
    "embedsignature": False,  # inspect.signature works as it is; docstrings stay as they were written
}
PLAIN_PYTHON = {"language_level": 3, "annotation_typing": False, "infer_types": False}

# No -ffast-math: NaN, infinities and signed zeros keep their meaning. Nobody reads errno or the floating-point flags.
COMPILE = {"fast": ["-O3", "-g0"], "quick": ["-O1", "-g0"]}.get(MODE, ["-O1", "-g"])
COMPILE += ["-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-Wno-unused-function"]
# Nobody but a debugger unwinds through us or looks for names: without tables of them wheels are a tenth smaller.
COMPILE += ["-fno-asynchronous-unwind-tables"] if FAST else []
COMPILE += ["-ffunction-sections"] if GATHERS else []
COMPILE += SANITIZERS.get(SANITIZE, [])
# To check a difference for overflow Cython makes integers of both sides: of pointers these are the addresses, whose
# difference counts bytes whatever the pointers point at. gcc would only warn.
COMPILE += ["-Werror=int-conversion"] if MODE == "checked" else []
COMPILE += ["-MMD"]  # the compiler notes beside each object what it read for it: a header recompiles what includes it
LINK = ["-pthread", *(["-Wl,-s"] if FAST and not SYMBOLS else []), *SANITIZERS.get(SANITIZE, [])]
SMALL = ["-Os"] if FAST else []  # for .py: mostly calls, where pages to load cost more than instructions
SMALL += ["-O0", "-fno-sanitize=all"] if SANITIZE else []  # Python in C has no memory of its own to look after
SMALL += ["-O0"] if MODE == "quick" else []  # half of the compiler's time; and without loops they are never slow
# For .pyx without loops over elements: a sixth smaller, as quick. Their loops copy two or three arguments or dims,
# which costs less than the call of memcpy that the compiler would make of it.
DRIVER = {"fast": ["-O2", "-fno-tree-loop-distribute-patterns"], "quick": ["-O0"]}.get(MODE, [])
SIZES = ["-fno-wrapv"] if SANITIZE == "address" else []  # outside of kernels what wraps around is a size: reported
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
MACROS += [("CYTHON_COMPRESS_STRINGS", "0")]  # a wheel is compressed anyway, and unpacking costs time at every import
