"""Run a module or a script with the projects' folder in reach, on wengert or on PyTorch: started by running.py.

    python start.py {wengert,torch} FOLDER [-m module | script.py] [arguments]

FOLDER comes last on the path, so that NumPy is the environment's.
"""

import os
import runpy
import sys


def main(side: str, folder: str, arguments: list[str]) -> None:
    """Run it as the module ``__main__``."""
    sys.path[0] = os.getcwd()
    sys.path.append(folder)
    if side == "wengert":
        from wengert.run import main as run

        sys.exit(run(arguments))
    import torch

    torch.set_num_threads(1)
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
