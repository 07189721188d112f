"""Ask PyTorch again: ``python -m tools.record WHAT``, where WHAT is one of the modules beside this one."""

import runpy
import sys
from pathlib import Path

SUBJECTS = sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py") if file.stem != "random_functions")


def main() -> int:
    """Run the recorder that the command line names, with the arguments behind its name."""
    if len(sys.argv) < 2 or sys.argv[1] not in SUBJECTS:
        print(f"usage: python -m tools.record {{{','.join(SUBJECTS)}}} ...", file=sys.stderr)
        return 2
    del sys.argv[0]
    runpy.run_module(f"tools.record.{sys.argv[0]}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
