"""Binding: loaded on first use, all or nothing, once, whatever goes wrong."""

import sys
import threading
import warnings

import pytest
from wengert_registry import DuplicatePluginError, MissingPluginError, PluginError, PluginWarning

BROKEN = {
    "import error": ("import a_module_that_does_not_exist", ModuleNotFoundError, "No module named"),
    "syntax error": ("x = = 1", SyntaxError, "invalid syntax"),
    "no attribute": ("y = 1", AttributeError, "has no attribute 'x'"),
    "raises": ("raise ValueError('told so.')", ValueError, "ValueError: told so. Disable"),
}


@pytest.fixture
def two(world):
    """A good plugin and a place for a bad one."""
    world.install("good 1", {"ops:good": "good_ops:x"}, good_ops="x = 'good'")
    return world


def test_a_plugin_is_loaded_when_it_is_asked_for_and_kept(two):
    registry = two.registry()
    ops = registry.group("ops")
    assert "good_ops" not in sys.modules
    assert ops.get("good") == "good"
    changes = []
    registry.on_change(lambda: changes.append(1))
    assert ops.get("good") is ops.get("good") is ops.find("good")
    assert changes == []
    (row,) = registry.table()
    assert (row.state, row.import_ms is not None) == ("loaded", True)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_reported_once_and_harmless(two, kind):
    source, cause, says = BROKEN[kind]
    two.install("bad-dist 0.3", {"ops:bad": "bad_ops:x"}, bad_ops=source)
    registry = two.registry()
    with pytest.warns(PluginWarning) as caught:
        assert registry.group("ops").load_all() == {"good": "good"}
    assert registry.group("ops").load_all() == {"good": "good"}  # a second warning would be an error here
    with pytest.raises(PluginError) as raised:
        registry.group("ops").get("bad")
    assert isinstance(raised.value.__cause__, cause)
    (warning,) = caught
    assert str(warning.message) == str(raised.value)
    for part in ("bad-dist 0.3", "'bad = bad_ops:x' of wengert.ops.v1", says, 'WENGERT_DISABLE_PLUGINS="bad-dist"'):
        assert part in str(raised.value)
    assert [(row.name, row.state) for row in registry.table()] == [("bad", "failed"), ("good", "loaded")]
    assert cause.__name__ in registry.table()[0].error


def test_get_raises_plugin_error_also_where_warnings_are_errors(world):
    world.install("bad 1", {"ops:bad": "bad_ops:x"}, bad_ops="1 / 0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PluginError, match="cannot be loaded") as raised:
            world.registry().group("ops").get("bad")
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_strict_raises_at_once_and_does_not_warn(two):
    two.install("bad 1", {"ops:bad": "bad_ops:x"}, bad_ops="1 / 0")
    ops = two.registry(WENGERT_PLUGINS_STRICT="1").group("ops")
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        ops.load_all()
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        ops.get("bad")
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        two.registry(WENGERT_PLUGINS_STRICT="1", WENGERT_PLUGINS="eager").compose()


@pytest.mark.parametrize("source", ["raise SystemExit(3)", "class Own(BaseException): pass\nraise Own", "exit(0)"])
def test_an_exit_of_a_plugin_is_its_failure(two, source):
    two.install("exit 1", {"ops:exit": "exit_ops:x"}, exit_ops=source)
    registry = two.registry()
    with pytest.warns(PluginWarning, match="plugin exit 1"), pytest.raises(PluginError, match="'exit = exit_ops:x'"):
        registry.group("ops").get("exit")
    assert [row.state for row in registry.table()] == ["failed", "available"]
    assert registry.group("ops").load_all() == {"good": "good"}


def test_the_users_interrupt_is_not_a_plugins_failure(world):
    world.install("slow 1", {"ops:slow": "interrupted_ops:x"}, interrupted_ops="raise KeyboardInterrupt")
    registry = world.registry()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            registry.group("ops").get("slow")
    assert registry.table()[0].state == "available"


def test_what_failed_is_tried_again_after_enable(world):
    world.install("bad 1", {"ops:bad": "bad_ops:x"}, bad_ops="import late_dependency; x = late_dependency.x")
    ops = world.registry().group("ops")
    with pytest.warns(PluginWarning), pytest.raises(PluginError):
        ops.get("bad")
    world.install("late 1", "", late_dependency="x = 7")
    with pytest.raises(PluginError):
        ops.get("bad")
    ops._registry.enable("bad")
    assert ops.get("bad") == 7


def test_eager_loads_everything_when_composed(two):
    registry = two.registry(WENGERT_PLUGINS="eager")
    assert registry.group("ops").names() == ("good",)
    assert registry.table()[0].state == "available"
    assert registry.compose().table()[0].state == "loaded"


def test_an_absent_name_lists_what_is_installed(two):
    ops = two.registry().group("ops")
    with pytest.raises(MissingPluginError, match=r"^no op table 'cuda' is installed; installed: 'good'$"):
        ops.get("cuda")
    assert ops.find("cuda") is None
    assert "cuda" not in ops
    assert 3 not in ops


# ---- clashes


@pytest.fixture
def clash(world):
    world.install("b 1.2", {"formulas:exp": "clash_b:x", "formulas:only_b": "clash_b:x"}, clash_b="x = 'from b'")
    world.install("a 0.3", {"formulas:exp": "clash_a:x"}, clash_a="x = 'from a'")
    return world


def test_two_distributions_that_claim_a_name_are_an_error_that_names_both(clash):
    registry = clash.registry()
    with pytest.raises(DuplicatePluginError) as raised:
        registry.group("formulas").get("exp")
    assert str(raised.value) == (
        "formula 'exp' is registered twice: by a 0.3 (entry point 'exp = clash_a:x' of wengert.formulas.v1) and by b "
        "1.2 (entry point 'exp = clash_b:x' of wengert.formulas.v1), so none of them is used; choose with "
        "WENGERT_PREFER=\"formulas:exp=a\" (see docs/errors/plugin-refused)"
    )
    assert clash.imported_modules() == set()
    assert [row.state for row in registry.table()] == ["clash", "clash", "available"]
    assert "exp" in registry.group("formulas")
    with pytest.warns(PluginWarning, match="registered twice") as caught:
        assert list(registry.group("formulas").load_all()) == ["only_b"]
    assert list(registry.group("formulas").load_all()) == ["only_b"]
    assert len(caught) == 1


@pytest.mark.parametrize(("choice", "value"), [("formulas:exp=a", "from a"), ("formulas:*=a, formulas:e*=B", "from b")])
def test_the_user_chooses(clash, choice, value):
    by_environment, by_call = clash.registry(WENGERT_PREFER=choice), clash.registry()
    by_call.prefer(choice)
    for registry in (by_environment, by_call):
        assert registry.group("formulas").get("exp") == value
        states = {row.distribution: row.state for row in registry.table() if row.name == "exp"}
        assert states == {value[-1]: "loaded", "ab".replace(value[-1], ""): "shadowed"}


def test_a_later_choice_replaces_an_earlier_one(clash):
    registry = clash.registry(WENGERT_PREFER="formulas:exp=a")
    formulas = registry.group("formulas")
    assert formulas.get("exp") == "from a"
    arrangement = registry.arrangement
    registry.prefer("formulas:exp=b")
    assert (formulas.get("exp"), registry.arrangement > arrangement) == ("from b", True)


def test_a_choice_of_something_else_does_not_settle_a_clash(clash):
    with pytest.warns(PluginWarning, match="fits nothing"), pytest.raises(DuplicatePluginError):
        clash.registry(WENGERT_PREFER="formulas:exp=c").group("formulas").get("exp")


def test_a_disabled_distribution_does_not_clash(clash):
    assert clash.registry(WENGERT_DISABLE_PLUGINS="a").group("formulas").get("exp") == "from b"


def test_a_preferred_plugin_that_fails_is_not_replaced_in_silence(clash):
    clash.install("c 1", {"formulas:exp": "clash_c:x"}, clash_c="1 / 0")
    with pytest.warns(PluginWarning), pytest.raises(PluginError, match="c 1 cannot be loaded"):
        clash.registry(WENGERT_PREFER="formulas:exp=c").group("formulas").get("exp")


def test_three_claimants_are_all_named(clash):
    clash.install("c 1", {"formulas:exp": "m:x"})
    with pytest.raises(DuplicatePluginError, match=r"by a 0\.3 .*, by b 1\.2 .* and by c 1 .*; choose"):
        clash.registry().group("formulas").get("exp")


# ---- cycles and threads


def test_a_plugin_that_needs_itself_gets_a_clear_error(world, monkeypatch):
    ask = "import wengert_registry\nx = wengert_registry.registry.group('ops').get('{}')"
    world.install("left 1", {"ops:left": "cycle_left:x"}, cycle_left=ask.format("right"))
    world.install("right 1", {"ops:right": "cycle_right:x"}, cycle_right=ask.format("left"))
    registry = world.registry()
    monkeypatch.setattr("wengert_registry.registry", registry)
    with pytest.warns(PluginWarning), pytest.raises(PluginError) as raised:
        registry.group("ops").get("left")
    path = "ops:left (left 1) -> ops:right (right 1) -> ops:left (left 1)"
    assert f"plugins need each other while they load: {path}" in str(raised.value)
    assert registry.binding == {}


def test_a_plugin_may_look_up_another_while_it_loads(world, monkeypatch):
    ask = "import wengert_registry\nx = wengert_registry.registry.group('devices').get('base') + ' and more'"
    world.install("top 1", {"ops:top": "nested_top:x"}, nested_top=ask)
    world.install("base 1", {"devices:base": "nested_base:x"}, nested_base="x = 'base'")
    registry = world.registry()
    monkeypatch.setattr("wengert_registry.registry", registry)
    assert registry.group("ops").get("top") == "base and more"


def test_threads_bind_once_and_see_one_value(world):
    world.install("one 1", {"ops:one": "thread_one:x"}, thread_one="import time\ntime.sleep(0.05)\nx = object()")
    registry = world.registry()
    ops, accepted, values, start = registry.group("ops"), [], [], threading.Barrier(8)

    @ops.on_accept
    def accept(candidate, obj):
        accepted.append(candidate)
        return [obj]

    def ask():
        start.wait()
        values.append(ops.get("one"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(accepted) == 1
    assert len(values) == 8
    assert all(value is values[0] for value in values)


def test_an_import_elsewhere_that_looks_something_up_does_not_deadlock(world, monkeypatch):
    """Note [Imports happen outside the lock]: a thread holds the module's lock and wants the registry's."""
    source = "import sys, wengert_registry\nsys.in_import.set()\nsys.go_on.wait(60)\n"
    source += "x = wengert_registry.registry.group('devices').get('base')"
    world.install("slow 1", {"ops:slow": "dead_lock:x"}, dead_lock=source)
    world.install("base 1", {"devices:base": "dead_base:x"}, dead_base="x = 'base'")
    registry, found = world.registry().compose(), []
    in_import, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "in_import", in_import, raising=False)
    monkeypatch.setattr(sys, "go_on", go_on, raising=False)
    monkeypatch.setattr("wengert_registry.registry", registry)
    importer = threading.Thread(target=lambda: __import__("dead_lock"), daemon=True)
    asker = threading.Thread(target=lambda: found.append(registry.group("ops").get("slow")), daemon=True)
    importer.start()
    assert in_import.wait(60)
    asker.start()
    asker.join(0.2)  # it waits for the module now, and must not hold what the importer will ask for
    go_on.set()
    importer.join(60)
    asker.join(60)
    assert found == ["base"]
