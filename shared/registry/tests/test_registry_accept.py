"""What a group takes: the accept hook, and registration in this process."""

import sys

import pytest
from wengert_registry import MissingPluginError, PluginError, PluginWarning, Registry


class Table(dict):
    """Rows by name."""


def take_table(candidate, obj):
    """A hook such as core's: a table or a function that returns one; a single row under a dotted name."""
    if "." in candidate.name:
        return obj
    table = obj if isinstance(obj, Table) else obj()
    for row, value in table.items():
        if value is None:
            raise TypeError(f"row {row} is empty")
    return table


@pytest.fixture
def formulas(world):
    world.install("ours 1", {"formulas:core": "own_formulas:load"}, own_formulas="from test_tables import load")
    world.folder("site").joinpath("test_tables.py").write_text(
        "class Table(dict): pass\nmade = []\ndef load():\n    made.append(1)\n    return Table(exp='e', sqrt='s')\n"
    )
    group = world.registry().group("formulas")
    group.on_accept(take_table)
    return group


def test_the_hook_decides_what_get_returns(formulas):
    assert formulas.get("core") == {"exp": "e", "sqrt": "s"}
    assert formulas.get("core") is formulas.find("core")
    assert sys.modules["test_tables"].made == [1]


def test_an_entry_point_for_one_row_is_a_name_of_its_own(formulas, world):
    points = {"formulas:core.sqrt": "my_sqrt:x", "formulas:core.cbrt": "my_sqrt:x"}
    world.install("mine 1", points, my_sqrt="x = 'mine'")
    formulas._registry.compose(refresh=True)
    assert formulas.names() == ("core", "core.cbrt", "core.sqrt")
    assert formulas.get("core.sqrt") == "mine"
    assert formulas.get("core") == {"exp": "e", "sqrt": "s"}
    formulas._registry.disable("mine")
    assert (formulas.find("core.sqrt"), formulas.names()) == (None, ("core",))


def test_absent_tables_say_what_there_is(formulas):
    with pytest.raises(MissingPluginError, match="no formula 'special' is installed; installed: 'core'"):
        formulas.get("special")
    with pytest.raises(MissingPluginError, match=r"no formula 'core\.sin' is installed; installed: 'core'"):
        formulas.get("core.sin")
    assert formulas.load_all(["core"]) == {"core": {"exp": "e", "sqrt": "s"}}


def test_a_plugin_refused_halfway_leaves_nothing(formulas, world):
    world.install("half 1", {"formulas:half": "half_table:x"}, half_table="x = lambda: {'good': 1, 'bad': None}")
    formulas._registry.compose(refresh=True)
    with pytest.warns(PluginWarning, match="half 1"), pytest.raises(PluginError, match="row bad is empty") as raised:
        formulas.get("half")
    assert isinstance(raised.value.__cause__, TypeError)
    (candidate,) = [one for one in formulas.candidates() if one.name == "half"]
    assert (candidate.state, candidate.value, candidate.cause) == ("failed", None, raised.value.__cause__)


def test_what_a_hook_raises_comes_through_and_nothing_is_registered():
    group = Registry([], {}).group("ops")

    @group.on_accept
    def accept(candidate, obj):
        raise ValueError("row 'exp' is given twice")

    with pytest.raises(ValueError, match="row 'exp' is given twice"):
        group.register("core", object())
    assert group.names() == ()


def test_what_was_loaded_before_the_hook_goes_through_it(world):
    world.install("early 1", {"ops:early": "early_ops:x"}, early_ops="x = 2")
    group = world.registry().group("ops")
    group.register("local", 3)
    assert (group.get("early"), group.get("local")) == (2, 3)

    @group.on_accept
    def double(candidate, obj):
        return 2 * obj

    assert (group.get("early"), group.get("local")) == (4, 6)


def test_a_registration_in_this_process_wins_and_is_restored(world):
    world.install("dist 1", {"devices:gpu": "real_gpu:x"}, real_gpu="x = 'real'")
    registry = world.registry()
    devices = registry.group("devices")
    assert devices.get("gpu") == "real"
    changes = []
    registry.on_change(lambda: changes.append(devices.names()))
    with devices.register("gpu", "fake", owner="a test"):
        assert (devices.get("gpu"), changes) == ("fake", [("gpu",)])
        with registry.register("devices", "gpu", "faker", owner="inner"):
            assert devices.get("gpu") == "faker"
        assert devices.get("gpu") == "fake"
        states = {(row.distribution, row.state, row.value) for row in registry.table()}
        assert states == {("a test", "loaded", "in process"), ("dist", "shadowed", "real_gpu:x")}
        registry.disable("a*, devices:gpu")
        assert devices.get("gpu") == "fake"
        registry.enable("devices:gpu")
    assert devices.get("gpu") == "real"
    assert len(changes) == 6  # two came, two were switches, two went


def test_registrations_end_in_any_order_and_after_an_exception():
    group = Registry([], {}).group("devices")
    first, second = group.register("d", 1), group.register("d", 2)
    first.remove()
    assert group.get("d") == 2
    second.remove()
    second.remove()
    assert group.find("d") is None
    with pytest.raises(ZeroDivisionError), group.register("d", 3):
        raise ZeroDivisionError
    assert "d" not in group


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_name_is_a_string(name):
    group = Registry([], {}).group("devices")
    with pytest.raises(TypeError, match="a device is registered under a name"):
        group.register(name, object())
    assert group.names() == ()


def test_a_registration_that_lasts_wins_over_a_clash(world):
    for name in "ab":
        world.install(f"{name} 1", {"devices:d": "m:x"})
    registry = world.registry()
    registry.register("devices", "d", "mine")
    assert registry.group("devices").get("d") == "mine"


def test_listeners_are_told_of_each_change(world):
    world.install("a 1", {"ops:a": "epoch_a:x"}, epoch_a="x = 1")
    registry = world.registry()
    told = []
    registry.on_change(lambda: told.append(registry.arrangement))
    seen = [0]
    ops = registry.group("ops")
    changes = [
        registry.compose,
        lambda: ops.get("a"),
        lambda: ops.register("a", 2),
        lambda: registry.disable("a"),
        lambda: registry.enable("a"),
        lambda: registry.prefer("ops:a=a"),
        lambda: ops.on_accept(lambda candidate, obj: obj),
    ]
    for change in changes:
        change()
        seen.append(len(told))
    assert seen == sorted(set(seen))
    assert told == [1, 1, 2, 3, 4, 5, 6]  # nothing is in use otherwise because something has been loaded
