"""Entry points are read as text, as importlib.metadata reads them, and no candidate is made early."""

from importlib.metadata import EntryPoints

import pytest
from wengert_registry.scan import parse

OPS, NAMES = "[wengert.ops.v1]\n", "[wengert.namespace.v1]\n"
GOOD = [
    "",
    "\n\n",
    "[console_scripts]\npytest = pytest:main [extra]\n",
    f"{OPS}a = m\n",
    f"{OPS}a = m.n:o.p\n\n{NAMES}a.b = m.n:o\nTensor.c2 = _m.n1:_o\n\n[other]\n# x\n",
    f"{NAMES}acme-x = m\n[wengert.first_party.v1]\nwengert-x = wengert_x",
    f"{OPS}\n{NAMES}",
    f"{OPS}# a comment\na = m\n",
    f"{OPS}a=m\n",
    f"{OPS}a = m\n\nb = m\n",
    f"{OPS}a = m\na = n\n",
    f"{OPS}a = m\r\nb = n\r\n",
    f"{OPS}\u00e4 = m\n",
    f"{OPS}a = m\n{OPS}b = m\n",
    "[wengert.ops.v2]\na = m\n",
    "[other]\n  [wengert.ops.v1]\na = m\n",
]
BAD = {
    f"{OPS}a = m:n:o\n": ["line 2, 'a = m:n:o'"],
    f"{OPS}a:b = m\n": ["line 2, 'a:b = m'"],
    f"{OPS}a = m.\n": ["line 2, 'a = m.'"],
    f"{OPS}a = .m\n": ["line 2, 'a = .m'"],
    f"{OPS}a = 1m\n": ["line 2, 'a = 1m'"],
    f"{OPS}a = m-n\n": ["line 2, 'a = m-n'"],
    f"{OPS}a = m = n\nb\n": ["line 2, 'a = m = n'", "line 3, 'b'"],
    f"{OPS}a = m b = n\nc =\n": ["line 2, 'a = m b = n'", "line 3, 'c ='"],
    f"{OPS}a =m n\n": ["line 2, 'a =m n'"],
    f"{OPS}a b = m\n": ["line 2, 'a b = m'"],
    "[wengert.ops.v1\na = m\n": ["line 1, '[wengert.ops.v1'"],
}
OTHERWISE = {
    f"{OPS}a = m:x [extra]\n": [("wengert.ops.v1", "a", "m:x")],
    "[ wengert.ops.v1 ]\na = m\n": [("wengert.ops.v1", "a", "m")],
    "a = m\n[wengert.ops.v1]\n": [],
}
"""Texts that importlib.metadata reads in another way."""


@pytest.mark.parametrize("text", GOOD)
def test_a_file_is_read_as_importlib_reads_it(text):
    theirs = [(one.group, one.name, one.value, "") for one in EntryPoints._from_text(text)]
    assert [*parse(text)] == [one for one in theirs if one[0].startswith("wengert.")]


@pytest.mark.parametrize("text", BAD)
def test_lines_that_cannot_be_read_are_named(text):
    problems = [problem for _, _, _, problem in parse(text)]
    assert len(problems) == len(BAD[text])
    for problem, says in zip(problems, BAD[text], strict=True):
        assert problem.startswith(f"entry_points.txt, {says}: expected '")


@pytest.mark.parametrize("text", OTHERWISE)
def test_what_is_read_in_another_way(text):
    assert [*parse(text)] == [(*entry, "") for entry in OTHERWISE[text]]


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
