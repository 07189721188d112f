"""Precedence among offers of one name: the user's choice, wengert's own, the only one; of several strangers nobody."""

import pytest
from wengert_registry import DuplicatePluginError, PluginError, PluginWarning

OURS = "[wengert.first_party.v1]\nwengert-own = own\n"


@pytest.fixture
def ours(world):
    """A distribution of wengert's own, and a stranger that claims its names, first in every order."""
    groups = ("ops", "formulas", "devices", "namespace")
    text = "".join(f"[wengert.{group}.v1]\ncore = own_plugin:x\n" for group in groups)
    world.install("wengert-own 1", OURS + text, own_plugin="x = 'ours'")
    world.install("aaa 1", {"formulas:core": "aaa_plugin:x", "formulas:mine": "aaa_plugin:x"},
            aaa_plugin="x = 'theirs'")
    return world


def test_wengerts_own_wins_and_the_stranger_is_named(ours):
    registry = ours.registry()
    with pytest.warns(PluginWarning) as caught:
        registry.compose()
    (warning,) = caught
    assert str(warning.message) == (
        "plugin aaa 1: formula 'core', entry point 'core = aaa_plugin:x' of wengert.formulas.v1, is refused: the name "
        "is that of wengert-own 1 (entry point 'core = own_plugin:x' of wengert.formulas.v1). Give it a name that is "
        'free. Disable it with WENGERT_DISABLE_PLUGINS="aaa"'
    )
    formulas = registry.group("formulas")
    assert (formulas.get("core"), formulas.get("mine")) == ("ours", "theirs")
    assert {(row.distribution, row.state) for row in registry.table() if row.group == formulas.full} == {
        ("aaa", "refused"), ("aaa", "loaded"), ("wengert-own", "loaded")
    }  # fmt: skip


def test_strict_raises_what_would_be_a_warning_once(ours):
    registry = ours.registry(WENGERT_PLUGINS_STRICT="1")
    with pytest.raises(PluginError, match=r"plugin aaa 1: .* is refused"):
        registry.compose()
    assert registry.compose().group("formulas").get("core") == "ours"


@pytest.mark.parametrize("environ", [{"WENGERT_DISABLE_PLUGINS": "aaa"}, {"WENGERT_PLUGINS": "off"}])
def test_a_stranger_that_is_switched_off_is_not_named(ours, environ):
    assert ours.registry(**environ).compose().group("formulas").get("core") == "ours"


def test_the_user_may_prefer_a_stranger(ours):
    assert ours.registry(WENGERT_PREFER="formulas:core=aaa").compose().group("formulas").get("core") == "theirs"


def test_formulas_are_those_of_the_distribution_with_the_op_table(world):
    world.install("zzz 1", {"ops:acme": "m:x", "formulas:acme": "zzz_plugin:x", "formulas:acme.row": "zzz_plugin:x"},
                  zzz_plugin="x = 'owner'")
    world.install("aaa 1", {"formulas:acme": "m:x", "formulas:acme.row": "m:x", "formulas:other": "m:x"})
    world.install("bbb 1", {"formulas:other": "m:x"})
    registry = world.registry()
    with pytest.warns(PluginWarning, match=r"plugin aaa 1: .* that of zzz 1") as caught:
        assert registry.group("formulas").get("acme") == registry.group("formulas").get("acme.row") == "owner"
    assert len(caught) == 2
    with pytest.raises(DuplicatePluginError, match=r"by aaa 1 .* and by bbb 1 .*, so none of them is used"):
        registry.group("formulas").get("other")


# ---- names of rows


@pytest.fixture
def tables(world):
    """Three tables, of which one is wengert's own, and a registry whose rows are public names."""
    world.install("wengert-own 1", OURS + "[wengert.ops.v1]\nown = own_rows:x\n", own_rows="x = {'i0': 'own'}")
    world.install("aaa 1", {"ops:aaa": "aaa_rows:x"}, aaa_rows="x = {'i0': 'aaa', 'shared': 'aaa', 'only_a': 'aaa'}")
    world.install("bbb 1", {"ops:bbb": "bbb_rows:x"}, bbb_rows="x = {'shared': 'bbb', 'core': 'bbb', 'only_b': 'bbb'}")
    return world


def public(registry):
    """Let the rows of op tables be names, among which 'core' is taken; what is mounted."""
    mounted = {}
    registry.group("ops").on_accept(
        lambda candidate, obj: registry.claim(candidate, {"wengert": obj}) or obj, together=True
    )
    registry.places["wengert"].connect(
        lambda name: "the name is wengert's" if name == "core" else "",
        mounted.__setitem__,
        lambda name, value: mounted.pop(name),
    )
    return mounted


@pytest.mark.parametrize("first", ["aaa", "bbb", "own"])
def test_rows_have_the_same_names_in_whatever_order_tables_are_loaded(tables, first):
    registry = tables.registry()
    mounted = public(registry)
    ops = registry.group("ops")
    if first == "own":
        assert (ops.get("own"), mounted) == ({"i0": "own"}, {"i0": "own"})
    with pytest.warns(PluginWarning) as caught:
        assert (ops.get(first) is not None, len(ops.load_all())) == (True, 3)
    assert mounted == {"i0": "own", "only_a": "aaa", "only_b": "bbb"}
    says = sorted(str(warning.message) for warning in caught)
    assert [text.partition(":")[0] for text in says] == ["plugin aaa 1"] * 2 + ["plugin bbb 1"] * 2
    assert "gives wengert.i0, which is refused: the name is that of wengert-own 1 (entry point 'own = own_" in says[0]
    assert "gives wengert.shared, which is refused: the same is given by aaa 1 (entry point" in says[1]
    assert "gives wengert.core, which is refused: the name is wengert's" in says[2]
    assert {row.distribution: row.state for row in registry.table()} == {
        "aaa": "defective", "bbb": "defective", "wengert-own": "loaded"
    }  # fmt: skip


def test_what_the_user_prefers_and_switches_off_moves_names(tables):
    registry = tables.registry(WENGERT_PREFER="ops:shared=bbb")
    mounted = public(registry)
    with pytest.warns(PluginWarning):
        registry.group("ops").load_all()
    assert mounted["shared"] == "bbb"
    registry.prefer("ops:shared=aaa, ops:i0=aaa")
    assert (mounted["shared"], mounted["i0"]) == ("aaa", "aaa")
    registry.disable("aaa")
    assert mounted == {"i0": "own", "shared": "bbb", "only_b": "bbb"}
    registry.enable("aaa")
    assert (mounted["shared"], mounted["i0"], mounted["only_a"]) == ("aaa", "aaa", "aaa")


def test_a_table_of_this_process_has_its_names_while_it_is_registered(tables):
    registry = tables.registry(WENGERT_DISABLE_PLUGINS="bbb")
    mounted = public(registry)
    with pytest.warns(PluginWarning):
        registry.group("ops").load_all()
    with registry.register("ops", "mine", {"shared": "mine", "fresh": "mine"}):
        assert (mounted["shared"], mounted["fresh"]) == ("mine", "mine")
    assert mounted["shared"] == "aaa"
    assert "fresh" not in mounted


def test_a_table_that_fails_gives_no_name(tables):
    registry = tables.registry(WENGERT_DISABLE_PLUGINS="bbb")
    mounted = {}
    registry.places["wengert"].connect(lambda name: "", mounted.__setitem__, lambda name, _: mounted.pop(name))

    @registry.group("ops").on_accept
    def accept(candidate, obj):
        registry.claim(candidate, {"wengert": obj})
        if candidate.name == "aaa":
            raise ValueError("halfway")
        return obj

    with pytest.warns(PluginWarning, match="halfway"):
        registry.group("ops").load_all()
    assert mounted == {"i0": "own"}
    assert any("aaa 1" in reason and "halfway" in reason for reason in registry.reasons("only_a"))


def test_a_table_of_the_same_name_that_is_installed_later_takes_the_names_of_both(world):
    world.install("aaa 1", {"ops:one": "early_rows:x"}, early_rows="x = {'row': 'aaa'}")
    registry = world.registry()
    mounted = public(registry)
    assert (registry.group("ops").get("one"), mounted) == ({"row": "aaa"}, {"row": "aaa"})
    world.install("bbb 1", {"ops:one": "m:x"})
    registry.compose(refresh=True)
    assert mounted == {}
    registry.prefer("ops:one=aaa")
    assert mounted == {"row": "aaa"}


def test_tables_may_ask_for_each_other_while_they_load(world, monkeypatch):
    ask = "import wengert_registry\nx = {{'{0}': wengert_registry.registry.group('ops').get('{1}')}}"
    world.install("aaa 1", {"ops:aaa": "asks_a:x"}, asks_a=ask.format("a", "ccc"))
    world.install("bbb 1", {"ops:bbb": "asks_b:x"}, asks_b=ask.format("b", "aaa"))
    world.install("ccc 1", {"ops:ccc": "asks_c:x"}, asks_c="x = {'c': 1}")
    registry = world.registry()
    monkeypatch.setattr("wengert_registry.registry", registry)
    assert sorted(public(registry)) == []
    assert registry.group("ops").get("bbb") == {"b": {"a": {"c": 1}}}
    assert sorted(registry.places["wengert"].winners) == ["a", "b", "c"]


# ---- switches


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"WENGERT_DISABLE_PLUGINS": "aab"},
                "WENGERT_DISABLE_PLUGINS: 'aab' fits nothing that is installed; there are: "),
        ({"WENGERT_DISABLE_PLUGINS": "ops:zzz"}, "'ops:zzz' fits nothing that is installed; there are: 'ops:aaa'"),
        ({"WENGERT_DISABLE_PLUGINS": "zz*"}, "'zz*' fits nothing"),
        ({"WENGERT_PREFER": "ops:shared=aab"}, "WENGERT_PREFER: 'ops:shared=aab' fits nothing that is installed"),
        ({"WENGERT_PREFER": "devices:cuda=aaa"}, "'devices:cuda=aaa' fits nothing"),
        ({"WENGERT_PLUGINS_STRICT": "perhaps"}, "WENGERT_PLUGINS_STRICT: 'perhaps' is not understood"),
        ({"WENGERT_DISABLE": "aaa"}, "WENGERT_DISABLE is no switch of wengert's and has no effect; the switches"),
        ({"WENGERT_PLUGIN": "off"}, "WENGERT_PLUGIN is no switch"),
        ({"WENGERT_PREFERS": "ops:x=aaa"}, "WENGERT_PREFERS is no switch"),
    ],
)
def test_a_switch_with_an_unknown_name_is_reported(tables, environ, says):
    if environ.get("WENGERT_PLUGINS_STRICT"):
        with pytest.raises(PluginError, match="perhaps"):
            tables.registry(**environ).compose()
        return
    with pytest.warns(PluginWarning) as caught:
        tables.registry(**environ).compose()
    (warning,) = caught
    assert says in str(warning.message)


@pytest.mark.parametrize("call", ["disable", "enable", "prefer"])
def test_a_call_with_an_unknown_name_is_reported(tables, call):
    registry = tables.registry()
    with pytest.warns(PluginWarning, match="'.*absent.*' fits nothing that is installed"):
        getattr(registry, call)("ops:absent=absent" if call == "prefer" else "absent")


def test_a_preferred_row_is_looked_for_when_all_tables_are_loaded(tables):
    registry = tables.registry(WENGERT_PREFER="ops:shared=aaa, ops:i0=wengert-own, ops:sharde=aaa")
    public(registry)
    registry.compose()
    with pytest.warns(PluginWarning) as caught:
        registry.group("ops").load_all()
    says = [str(warning.message) for warning in caught if "fits nothing" in str(warning.message)]
    assert says == ["WENGERT_PREFER: 'ops:sharde=aaa' fits nothing that is installed; there are: 'ops:aaa=aaa'"]


@pytest.mark.parametrize("name", ["aaa", "wengert-aaa"])
def test_what_wengert_cannot_do_without_wins_over_whoever_says_to_be_its_own(world, name):
    text = "[wengert.first_party.v1]\n{0} = x\n[wengert.formulas.v1]\ncore = {1}:x\n"
    world.install("wengert-formulas 1", text.format("wengert-formulas", "needed_formulas"),
            needed_formulas="x = 'ours'")
    world.install(f"{name} 1", text.format(name, "m"))
    registry = world.registry()
    with pytest.warns(PluginWarning, match=f"plugin {name} 1: .* is refused"):
        assert registry.group("formulas").get("core") == "ours"
    assert {row.distribution: row.state for row in registry.table()} == {name: "refused", "wengert-formulas": "loaded"}
