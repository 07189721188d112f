"""tools/fresh.py: the commands of a page, and what becomes of one that fails."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = """# A page

<!-- `make hidden` -->
Both are quick, `make lint` and
`make docs`:

    make demo    # trains a network
    make test

| command | what |
| --- | --- |
| `make build` | wheels; `make clean` removes them |
| `make fresh` | this |

```sh
$ pip install numpy   # first
python -m wengert plugins
```

```pycon
>>> make = 1
```

Then `.venv/bin/python -m tools.generate.op_families`, `make PYTHON=python3.12 ...`,
`.venv/bin/python -m tools.fuzz --call 'TEXT'`, `make bench-keep COMMIT=HEAD` and `make lint` again.
"""


@pytest.fixture(scope="module")
def fresh(tool: Callable[[str], ModuleType]) -> ModuleType:
    return tool("fresh")


def test_commands_of_a_page(fresh: ModuleType) -> None:
    assert fresh.commands(PAGE) == [
        "make lint", "make docs", "make demo", "make test", "make build", "make clean",
        "pip install numpy && python -m wengert plugins", ".venv/bin/python -m tools.generate.op_families",
        "make bench-keep COMMIT=HEAD",
    ]  # fmt: skip


def test_every_target_that_the_pages_name_is_one(fresh: ModuleType) -> None:
    targets = set(subprocess.run(["make", "-pqrR"], cwd=ROOT, capture_output=True, text=True, check=False)
                  .stdout.partition(".PHONY: ")[2].partition("\n")[0].split())  # fmt: skip
    named = [one for page in fresh.PAGES for one in fresh.commands((ROOT / page).read_text(encoding="utf-8"))]
    made = {one.split()[1] for one in named if one.startswith("make ")}
    assert {"demo", "test", "docs", "lint"} <= made <= targets


@pytest.mark.parametrize(("only", "skip", "found"), [
    ([], [], ["make docs", "make lint", "make test"]), (["docs", "lint"], [], ["make docs", "make lint"]),
    ([], ["test"], ["make docs", "make lint"]), (["make"], ["lint"], ["make docs", "make test"]),
])  # fmt: skip
def test_commands_are_selected_by_texts(
    fresh: ModuleType, only: list[str], skip: list[str], found: list[str]
) -> None:
    assert fresh.select_commands(["make docs", "make lint", "make test"], only, skip) == found


def test_a_command_brings_what_it_needs(fresh: ModuleType, tmp_path: Path) -> None:
    assert fresh.script_of("make docs", tmp_path) == "make docs"
    assert fresh.script_of(".venv/bin/python x.py", tmp_path) == "make develop && .venv/bin/python x.py"
    assert fresh.script_of("pip list", tmp_path).endswith("/bin:$PATH && pip list")


def test_each_command_has_a_clone_and_a_bare_environment(
    fresh: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True)

    git("init", "--quiet")
    rules = "good:\n\t@test ! -e made && touch made && test -z \"$$SECRET\"\nbad:\n\t@echo why; exit 3\n"
    (tmp_path / "Makefile").write_text(rules, encoding="utf-8")
    git("add", "Makefile")
    git("commit", "--quiet", "-m", "a")
    monkeypatch.setenv("SECRET", "1")
    rows = [fresh.run(f"make {name}", tmp_path) for name in ("good", "good", "bad")]
    assert [row.code for row in rows] == [0, 0, 2]
    assert "why" in capsys.readouterr().out
    assert not (tmp_path / "made").exists()
    assert [line.split()[:3] for line in fresh.table(rows)][1:] == [["make", name, code] for name, code in (
        ("good", "0"), ("good", "0"), ("bad", "2"))]  # fmt: skip


def test_what_needs_a_gpu_is_left_out_without_one(fresh: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    row = fresh.run("make test-cuda")
    assert (row.code, row.reason) == (None, "no GPU")
    assert "left out: no GPU" in list(fresh.table([row]))[1]
