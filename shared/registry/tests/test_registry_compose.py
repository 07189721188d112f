"""Composing: one scan, sorted, tolerant, and without importing anything."""

import subprocess
import sys
from pathlib import Path

import pytest
import wengert_registry
from wengert_registry import DuplicatePluginError, PluginError, PluginWarning, Registry

FORBIDDEN = (
    "re", "typing", "collections", "functools", "inspect", "email", "json", "dataclasses", "importlib.metadata",
    "threading", "pathlib", "warnings", "enum", "contextlib", "argparse",
)  # fmt: skip


def rows(registry):
    return [(row.group, row.name, row.distribution, row.version, row.state) for row in registry.table()]


def test_composing_imports_no_slow_module_and_no_plugin(world):
    world.install("slow 1", {"ops:slow": "slow_plugin:TABLE"}, slow_plugin="import time; time.sleep(3600)")
    code = (
        f"import sys; sys.path[:0] = {[*world.paths, str(Path(wengert_registry.__file__).parents[1])]!r}\n"
        "import wengert_registry\n"
        "assert 'slow' in wengert_registry.registry.compose().group('ops')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "wengert_registry.composition" in loaded
    assert loaded & {*FORBIDDEN, "slow_plugin", "wengert_registry.table", "wengert_registry.listing"} == set()


def test_listing_does_not_import_a_slow_plugin(world):
    world.install("slow 1", {"ops:slow": "slow_plugin:TABLE"}, slow_plugin="raise AssertionError('imported')")
    registry = world.registry()
    assert registry.group("ops").names() == ("slow",)
    assert rows(registry) == [("wengert.ops.v1", "slow", "slow", "1", "available")]
    assert "slow_plugin" not in sys.modules


def test_every_group_is_read_in_one_file_and_foreign_groups_are_not(world):
    text = (
        "[console_scripts]\npytest = nowhere:main\n# a comment\n\n[wengert.ops.v1]\r\nb = m.n:T.u [extra]\n; more\n"
        "[wengert.devices.v1]\nsim=m\n[wengertish.ops.v1]\nx = y\n"
    )
    world.install("a 1", text)
    table = world.registry().table()
    assert [(row.group, row.name, row.value) for row in table] == [
        ("wengert.devices.v1", "sim", "m"),
        ("wengert.ops.v1", "b", "m.n:T.u"),
    ]


def test_order_is_the_same_whatever_the_order_on_disk_and_path(world):
    for name in ("zeta 1", "alpha 2", "mid 3"):
        world.install(name, {"ops:" + name[0]: "m:x", "devices:d": "m:x"}, at="site" if name[0] == "m" else "other")
    forwards, backwards = Registry(world.paths, {}), Registry(world.paths[::-1], {})
    assert rows(forwards) == rows(backwards) == sorted(rows(forwards))
    assert forwards.group("ops").names() == ("a", "m", "z")
    for registry in (forwards, backwards):
        with pytest.raises(DuplicatePluginError, match=r"by alpha 2 .*, by mid 3 .* and by zeta 1 .*; choose .*=alpha"):
            registry.group("devices").get("d")


def test_the_first_distribution_on_the_path_hides_the_later_one(world):
    world.install("acme-gpu 2", {"devices:gpu": "new_gpu:x"}, at="site")
    world.install("Acme.GPU 1", {"devices:gpu": "old_gpu:x", "devices:old": "old_gpu:x"}, at="late")
    registry = world.registry()
    assert registry.group("devices").names() == ("gpu",)
    assert [(row.name, row.version, row.state) for row in registry.table()] == [
        ("gpu", "1", "shadowed"),
        ("gpu", "2", "available"),
        ("old", "1", "shadowed"),
    ]
    assert "hidden by acme-gpu 2, earlier on sys.path" in registry.table()[0].error


def test_a_later_distribution_stays_hidden_when_the_first_has_no_entry_points(world):
    world.install("acme 2", "")
    world.install("acme 1", {"devices:gpu": "m:x"}, at="late")
    assert world.registry().group("devices").names() == ()


def test_the_same_version_twice_is_listed_once(world):
    world.install("acme 1", {"devices:gpu": "m:x"})
    egg = world.folder("src") / "acme.egg-info"
    egg.mkdir()
    (egg / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (egg / "entry_points.txt").write_text("[wengert.devices.v1]\ngpu = m:x\n")
    assert rows(world.registry()) == [("wengert.devices.v1", "gpu", "acme", "1", "available")]


def test_egg_info_is_read_with_the_version_inside(world):
    egg = world.folder("src") / "Acme_Lib.egg-info"
    egg.mkdir()
    (egg / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: Acme_Lib\nVersion: 0.7\n")
    (egg / "entry_points.txt").write_text("[wengert.devices.v1]\ngpu = m:x\n")
    assert rows(world.registry()) == [("wengert.devices.v1", "gpu", "acme-lib", "0.7", "available")]


def test_what_is_no_folder_on_the_path_is_passed_over(world, tmp_path):
    (tmp_path / "file.zip").write_bytes(b"PK")
    (world.folder("site") / "old-1.egg-info").write_text("a file, as distutils wrote it")
    (world.folder("site") / "~eft-1.dist-info").mkdir()
    registry = Registry([tmp_path / "file.zip", str(tmp_path / "absent"), None, *world.paths, tmp_path / "site"], {})
    assert rows(registry) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[wengert.ops.v1]\nno equals sign\ngood = m:x\n", "line 2, 'no equals sign'"),
        ("[wengert.ops.v1]\nbad = not a module\ngood = m:x\n", "line 2, 'bad = not a module'"),
        ("[wengert.ops.v1]\nbad =\ngood = m:x\n", "line 2, 'bad ='"),
        ("[wengert.ops.v1]\n= m:x\ngood = m:x\n", "line 2, '= m:x'"),
        ("[wengert.ops.v1]\nbad = m:\ngood = m:x\n", "line 2, 'bad = m:'"),
        ("[wengert.ops.v1]\ngood = m:x\ngood = m:y\n", "'good' twice; the first counts"),
        ("[wengert.ops.v1]\ngood = m:x\n[wengert.devices.v1\nbad = m:x\n", "line 3, '[wengert.devices.v1'"),
    ],
)
def test_a_malformed_line_is_reported_once_and_harmless(world, text, says):
    world.install("sloppy 1", text)
    registry = world.registry()
    with pytest.warns(PluginWarning, match="plugin sloppy 1: an entry of wengert") as caught:
        assert registry.group("ops").names() == ("good",)
    registry.compose()
    assert len(caught) == 1
    assert says in str(caught[0].message)
    assert 'WENGERT_DISABLE_PLUGINS="sloppy"' in str(caught[0].message)
    failed = [row for row in registry.table() if row.state == "failed"]
    assert len(failed) == 1
    assert says in failed[0].error
    with pytest.raises(PluginError, match="sloppy 1"):
        world.registry(WENGERT_PLUGINS_STRICT="1").compose()
    assert world.registry(WENGERT_DISABLE_PLUGINS="sloppy").group("ops").names() == ()


def test_the_good_one_of_two_equal_names_is_the_first(world):
    world.install("sloppy 1", "[wengert.ops.v1]\ngood = sloppy_ops:x\ngood = sloppy_ops:y\n", sloppy_ops="x, y = 1, 2")
    with pytest.warns(PluginWarning):
        assert world.registry().group("ops").get("good") == 1


def test_a_file_that_is_not_text_is_in_the_table_and_harmless(world):
    world.install("binary 1", b"[wengert.ops.v1]\n\xff\xfe = m:x\n")
    world.install("good 1", {"ops:good": "m:x"})
    registry = world.registry()
    assert registry.group("ops").names() == ("good",)
    assert rows(registry)[0] == ("?", "?", "binary", "1", "failed")
    assert "UnicodeDecodeError" in registry.table()[0].error


@pytest.mark.parametrize(
    ("group", "says"),
    [
        ("wengert.ops.v2", "made for wengert.ops.v2, but this wengert reads wengert.ops.v1"),
        ("wengert.opps.v1", "group wengert.opps.v1 is unknown"),
        ("wengert.ops", "group wengert.ops is unknown"),
    ],
)
def test_another_generation_is_listed_and_never_loaded(world, group, says):
    world.install("early 9", {f"{group}:x": "early_mod:x"}, early_mod="raise AssertionError('imported')")
    registry = world.registry(WENGERT_PLUGINS="eager", WENGERT_PLUGINS_STRICT="1").compose()
    (row,) = registry.table(load=True)
    assert (row.group, row.name, row.state) == (group, "x", "incompatible")
    assert says in row.error
    assert "x" not in registry.group("ops")
    assert registry.group("ops").find("x") is None


def test_asking_for_a_name_of_another_generation_says_why_it_is_absent(world):
    world.install("early 9", {"wengert.ops.v2:x": "m:x"})
    says = r"'x' is installed; installed: none\. early 9 \(entry .*\) offers it, .*: made"
    with pytest.raises(LookupError, match=says):
        world.registry().group("ops").get("x")


def test_refresh_finds_what_was_installed_since_and_keeps_what_was_loaded(world):
    world.install("a 1", {"ops:a": "mod_a:x"}, mod_a="x = object()")
    registry = world.registry()
    before, arrangement = registry.group("ops").get("a"), registry.arrangement
    world.install("b 1", {"ops:b": "mod_b:x"}, mod_b="x = 2")
    assert registry.compose().group("ops").names() == ("a",)
    assert registry.compose(refresh=True).group("ops").names() == ("a", "b")
    assert registry.arrangement > arrangement
    assert registry.table()[0].state == "loaded"
    assert registry.group("ops").get("a") is before
    assert registry.group("ops").get("b") == 2


def test_the_process_wide_registry_reads_sys_path():
    assert isinstance(wengert_registry.registry, Registry)
    assert wengert_registry.registry._paths is None
    assert wengert_registry.registry._environ is None


def test_an_unknown_group_names_the_known_ones():
    with pytest.raises(ValueError, match="no plugin group 'opps'; there are: ops, formulas, devices"):
        Registry([], {}).group("opps")
