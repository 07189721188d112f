"""Run public projects that use PyTorch on wengert and on PyTorch, and compare what they find and how long they take.

    python -m tools.projects                       all projects: installs them, runs them, prints the table
    python -m tools.projects torchdiffeq roma      some of them
    python -m tools.projects --page                also writes the table of docs/projects.md
    python -m tools.projects --again wengert       runs wengert's side anew; PyTorch's results are kept
    python -m tools.projects --known --page        writes the table of the results that there are; runs nothing

Start it with the Python of the repository's environment (.venv), whose packages are wengert's side. Everything else is
in the folder of --work: an environment with PyTorch, the projects, and the results, from which an interrupted run goes
on. It needs the package index, a GiB on disk, and for all projects about a quarter of an hour.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tools.projects import page
from tools.projects.installation import Installation, choose, default_folder
from tools.projects.running import SIDES, known_outcome, run_project
from tools.projects.table import Project


def tell(project: Project, outcome: dict[str, Any]) -> None:
    """Print what differs between the sides."""
    print(" | ".join(page.row(project, outcome)), flush=True)
    for kind, result in outcome.items():
        if "error" in result:
            print(f"  {kind}: {result['error']}")
        for name, distance in result.get("differing", {}).items():
            print(f"  {name}: differs by {distance:.1e} of its largest number")
        for name in result.get("missing", ()):
            print(f"  passes on PyTorch only: {name}")


def main() -> None:
    text = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(prog="python -m tools.projects", description=text[0], epilog=text[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", help="projects; all of them by default")
    parser.add_argument("--work", type=Path, default=default_folder(), help="folder of environments and results")
    parser.add_argument("--torch-python", default="", help="a Python that has PyTorch 2.13 and pytest already")
    parser.add_argument("--again", nargs="*", choices=SIDES, default=[], help="sides that are run anew")
    parser.add_argument("--known", action="store_true", help="run nothing: compare the results that there are")
    parser.add_argument("--page", action="store_true", help="write the table of docs/projects.md (all projects)")
    arguments = parser.parse_args()
    if arguments.page and arguments.names:
        parser.error("--page writes the table of all projects: name none")
    installation = Installation(arguments.work.resolve(), arguments.torch_python)
    if not arguments.known:
        installation.make_torch()
    outcomes = {}
    for project in choose(arguments.names):
        if arguments.known:
            outcomes[project] = known_outcome(installation, project)
        else:
            installation.install(project)
            outcomes[project] = run_project(installation, project, tuple(arguments.again))
        tell(project, outcomes[project])
    if arguments.page:
        page.write(outcomes)


if __name__ == "__main__":
    main()
