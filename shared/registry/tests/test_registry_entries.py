"""Entry points are read as text: what a file says does not depend on how it is read, and no candidate is made early."""

import pytest
from wengert_registry.entries import parse, plain_groups

OPS, NAMES = "[wengert.ops.v1]\n", "[wengert.namespace.v1]\n"
PLAIN = [
    "",
    "\n\n",
    "[console_scripts]\npytest = pytest:main [extra]\n",
    f"{OPS}a = m\n",
    f"{OPS}a = m.n:o.p\n\n{NAMES}a.b = m.n:o\nTensor.c2 = _m.n1:_o\n\n[other]\n# x\n",
    f"{NAMES}acme-x = m\n[wengert.first_party.v1]\nwengert-x = wengert_x",
    f"{OPS}\n{NAMES}",
]
NOT_PLAIN = [
    f"{OPS}# a comment\na = m\n",
    f"{OPS}a=m\n",
    f"{OPS}a = m:x [extra]\n",
    f"{OPS}a = m\n\nb = m\n",
    f"{OPS}a = m\na = n\n",
    f"{OPS}a = m\r\nb = n\r\n",
    f"{OPS}a = m:n:o\n",
    f"{OPS}a:b = m\n",
    f"{OPS}a = m.\n",
    f"{OPS}a = .m\n",
    f"{OPS}a = 1m\n",
    f"{OPS}a = m-n\n",
    f"{OPS}a = m = n\nb\n",
    f"{OPS}a = m b = n\nc =\n",
    f"{OPS}a =m n\n",
    f"{OPS}\u00e4 = m\n",
    f"{OPS}a = m\n{OPS}b = m\n",
    "[wengert.ops.v2]\na = m\n",
    "[wengert.ops.v1\na = m\n",
    "[other]\n  [wengert.ops.v1]\na = m\n",
    "a = m\n[wengert.ops.v1]\n",
    "[ wengert.ops.v1 ]\na = m\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_file_is_read_at_once_and_says_the_same(text):
    groups = plain_groups(text)
    assert groups is not None
    entries = [(group, name, target, "") for group, rows in groups.items() for name, target in rows.items()]
    assert entries == [*parse(text)]


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_any_other_file_is_read_line_by_line(text):
    assert plain_groups(text) is None


def test_composing_makes_no_candidates_and_a_lookup_those_of_its_name(world):
    world.install("many 1", {f"namespace:many.m{i}": f"many_mod:x{i}" for i in range(300)}, many_mod="x7 = 7")
    registry = world.registry()
    names = registry.compose().group("namespace")
    assert len(names.names()) == 300
    assert names.known_candidates() == []
    assert names.get("many.m7") == 7
    assert [one.name for one in names.known_candidates()] == ["many.m7"]
    assert sum(row.state == "available" for row in registry.table()) == 299


@pytest.mark.parametrize(
    ("environ", "there"),
    [
        ({}, ("a.x", "a.y")),
        ({"WENGERT_DISABLE_PLUGINS": "namespace:a.x"}, ("a.y",)),
        ({"WENGERT_DISABLE_PLUGINS": "second"}, ("a.x",)),
        ({"WENGERT_PLUGINS": "off"}, ()),
    ],
)
def test_names_that_begin_so_are_those_that_are_in_use(world, environ, there):
    world.install("first 1", {"namespace:a.x": "m", "namespace:b": "m"})
    world.install("second 1", {"namespace:a.y": "m"})
    assert world.registry(**environ).group("namespace").names("a.") == there


def test_a_name_in_several_files_has_a_candidate_for_each(world):
    world.install("second 1", {"namespace:a": "m:second", "namespace:b": "m:x"})
    world.install("first 1", {"namespace:a": "m:first"})
    group = world.registry().compose().group("namespace")
    assert [(one.distribution.name, one.target) for one in group.candidates()] == [
        ("first", "m:first"), ("second", "m:second"), ("second", "m:x"),
    ]  # fmt: skip
