"""What the user switches: off, on, first party only."""

import pytest
from wengert_registry import MissingPluginError, PluginError, PluginWarning, Registry


@pytest.fixture
def three(world):
    marker = "[wengert.first_party.v1]\n{} = own\n[wengert.ops.v1]\n{} = m:x\n"
    world.install("wengert-own 1", marker.format("wengert-own", "own"))
    world.install("wengert-copycat 1", marker.format("wengert-own", "copycat"))
    world.install("wengert-guest 1", {"ops:special.a": "m:x", "ops:special.b": "m:x", "formulas:special.a": "m:x"})
    return world


ALL = ("copycat", "own", "special.a", "special.b")


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ("wengert-guest", ("copycat", "own")),
        ("Wengert_Guest", ("copycat", "own")),
        ("wengert-*", ()),
        ("ops:special.*", ("copycat", "own")),
        ("formulas:special.*", ALL),
        (" ops:special.a , ops:own,", ("copycat", "special.b")),
        ("", ALL),
    ],
)
def test_disabling(three, what, left):
    by_environment, by_call = three.registry(WENGERT_DISABLE_PLUGINS=what), three.registry()
    by_call.disable(what)
    for registry in (by_environment, by_call):
        assert registry.group("ops").names() == left
        disabled = {row.name for row in registry.table() if row.group == "wengert.ops.v1" and row.state == "disabled"}
        assert disabled == set(ALL) - set(left)
    by_environment.enable(what)
    assert by_environment.group("ops").names() == ALL


def test_off_leaves_only_those_that_carry_the_marker_under_their_own_name(three):
    registry = three.registry(WENGERT_PLUGINS="off")
    assert registry.group("ops").names() == ("own",)
    assert {row.error for row in registry.table() if row.state == "disabled"} == {"disabled by WENGERT_PLUGINS=off"}
    registry.enable("wengert-guest")
    assert registry.group("ops").names() == ("own", "special.a", "special.b")
    assert all(row.group != "wengert.first_party.v1" for row in registry.table())


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"WENGERT_PLUGINS": "off"}, "disabled by WENGERT_PLUGINS=off"),
        ({"WENGERT_DISABLE_PLUGINS": "wengert-guest"}, "disabled by WENGERT_DISABLE_PLUGINS"),
    ],
)
def test_asking_for_a_disabled_name_says_who_disabled_it(three, environ, why):
    says = rf"wengert-guest 1 \(entry .*\) offers it, but it is not in use: {why}"
    with pytest.raises(MissingPluginError, match=says):
        three.registry(**environ).group("ops").get("special.a")


def test_disabling_what_is_loaded_takes_it_away(world):
    world.install("a 1", {"ops:a": "switch_a:x"}, switch_a="x = 1")
    registry = world.registry()
    assert registry.group("ops").get("a") == 1
    registry.disable("a")
    assert registry.group("ops").find("a") is None
    registry.enable("a")
    assert registry.group("ops").get("a") == 1


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("WENGERT_PLUGINS", "of", "'of' is not understood; expected 'on', 'off' or 'eager'"),
        ("WENGERT_DISABLE_PLUGINS", "opps:x", "no plugin group 'opps'"),
        ("WENGERT_DISABLE_PLUGINS", "ops:", "expected 'distribution' or 'group:name'"),
        ("WENGERT_PREFER", "ops:x", "expected 'group:name=distribution'"),
        ("WENGERT_PREFER", "x=a", "expected 'group:name=distribution'"),
        ("WENGERT_PREFER", "opps:x=a", "no plugin group 'opps'"),
    ],
)
def test_a_switch_that_makes_no_sense_is_reported_and_the_rest_counts(three, variable, value, says):
    rest = {"WENGERT_DISABLE_PLUGINS": "ops:own"}
    environ = {**rest, variable: f"{value},ops:own" if variable in rest else value}
    registry = three.registry(**environ)
    with pytest.warns(PluginWarning) as caught:
        assert registry.group("ops").names() == ("copycat", "special.a", "special.b")
    (warning,) = caught
    assert variable in str(warning.message)
    assert says in str(warning.message)
    with pytest.raises(PluginError, match=variable):
        three.registry(**environ, WENGERT_PLUGINS_STRICT="1").compose()


@pytest.mark.parametrize("wrong", ["opps:x", "good,ops:"])
def test_a_wrong_argument_changes_nothing(three, wrong):
    registry = three.registry()
    registry.compose()
    arrangement = registry.arrangement
    for call in (registry.disable, registry.enable, registry.prefer):
        with pytest.raises(ValueError, match="plugin"):
            call(wrong)
    assert registry.arrangement == arrangement
    assert registry.group("ops").names() == ALL


@pytest.mark.parametrize(("value", "strict"), [("1", True), ("true", True), ("0", False), ("", False), ("no", False)])
def test_strict_is_a_switch(value, strict):
    assert Registry([], {"WENGERT_PLUGINS_STRICT": value}).compose().rules.strict is strict
