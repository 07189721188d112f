"""The two environments, the folder of the projects, and the source distributions with their tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

from tools.projects.table import PROJECTS, SHARED, Project
from tools.workspace.packages import ROOT

TORCH = "torch==2.13.0"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def call(command: list[str], folder: Path | None = None) -> str:
    """Run a command and return what it prints; exit with its errors if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"projects: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


class Installation:
    """A work folder: ``torch`` is the environment with PyTorch, ``site`` are the projects, ``sources`` their tests.

    Both sides import the same files of the projects. wengert's environment is the one that runs this tool: that of the
    repository. torch_python: a Python that has PyTorch already, in place of the environment that is made.
    """

    def __init__(self, folder: Path, torch_python: str = "") -> None:
        self.folder, self.site, self.sources = folder, folder / "site", folder / "sources"
        self.results = folder / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.torch_python = torch_python
        self.pythons = {"wengert": sys.executable, "torch": torch_python or str(folder / "torch" / "bin" / "python")}

    def make_torch(self) -> None:
        """Make the environment with PyTorch, and the NumPy of this environment."""
        if self.torch_python or Path(self.pythons["torch"]).exists():
            return
        print("projects: installing PyTorch", flush=True)
        call([sys.executable, "-m", "venv", str(self.folder / "torch")])
        numpy = f"numpy=={version('numpy')}"
        call([self.pythons["torch"], *PIP, "install", TORCH, numpy, "--extra-index-url", TORCH_INDEX])

    def install(self, project: Project) -> None:
        """Install a project and what it needs, each without its own requirements: so PyTorch is not among them."""
        wanted = [f"{project.name}=={project.version}", *project.needs, *SHARED]
        note = self.folder / "installed.json"
        installed = json.loads(note.read_text(encoding="utf-8")) if note.exists() else []
        missing = [one for one in wanted if one not in installed]
        if not missing:
            return
        print(f"projects: installing {', '.join(missing)}", flush=True)
        call([sys.executable, *PIP, "install", "--no-deps", "--upgrade", "--target", str(self.site), *missing])
        note.write_text(json.dumps(sorted({*installed, *missing}), indent=1) + "\n", encoding="utf-8")

    def source(self, project: Project) -> Path:
        """Return the folder of a project's source distribution, downloaded and unpacked."""
        assert project.tests is not None
        folder = self.sources / project.file
        if not folder.exists():
            loading = self.sources / f"{project.file}.part"
            shutil.rmtree(loading, ignore_errors=True)
            pinned = project.tests.version or project.version
            call([sys.executable, *PIP, "download", "--no-deps", "--no-binary", ":all:", "--dest", str(loading),
                  f"{project.name}=={pinned}"])  # fmt: skip
            (archive,) = loading.glob("*.tar.gz")
            with tarfile.open(archive) as file:
                file.extractall(loading, filter="data")
            (inner,) = (one for one in loading.iterdir() if one.is_dir())
            for name in project.tests.remove:
                (inner / name).unlink()
            inner.rename(folder)
            shutil.rmtree(loading)
        return folder


def choose(names: list[str]) -> list[Project]:
    """Return the projects of these names; all of them for no name."""
    known = {project.name.lower(): project for project in PROJECTS}
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise SystemExit(f"projects: no project {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name.lower()] for name in names] or [*PROJECTS]


def default_folder() -> Path:
    """Return the work folder outside of the repository."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "wengert-projects"


assert (ROOT / "packages").is_dir()
