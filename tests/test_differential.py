"""tools/differential.py: random programs as text, records of what they leave behind, differences by kind."""

import copy

import pytest
import wengert


@pytest.fixture
def tools(tool):
    names = ("generate", "record", "compare", "report")
    return {name: tool(f"random_programs.{name}") for name in names}


def test_a_seed_gives_the_same_program(tools):
    random_program = tools["generate"].random_program
    programs = [random_program(seed) for seed in range(30)]
    assert programs == [random_program(seed) for seed in range(30)]
    assert len({tuple(lines) for lines in programs}) == 30


def test_programs_run_and_differ_in_nothing_from_themselves(tools):
    run, differences = tools["record"].run, tools["compare"].differences
    statements = failed = 0
    for seed in range(40):
        lines = tools["generate"].random_program(seed)
        record = run(wengert, lines)
        assert differences(lines, record, run(wengert, lines)) == []
        statements += len(lines)
        failed += sum(bool(step and "error" in step) for step in record["steps"])
    assert 0 < failed < statements / 2


PROGRAM = ["x0 = torch.ones(2, 3, requires_grad=True)", "v1 = x0.t()", "v1.add_('a')", "v2 = v1 * 2"]


@pytest.mark.parametrize(("change", "kind", "what"), [
    (lambda record: record["variables"]["v2"].update(node="AddBackward0"), "metadata", "node"),
    (lambda record: record["variables"]["v2"].update(version=3), "metadata", "version"),
    (lambda record: record["variables"]["v1"].update(stride=[3, 1]), "metadata", "stride"),
    (lambda record: record["variables"]["v2"].update(values=[[2.0, 2.0]] * 2 + [[2.0, 2.1]]), "values", "values"),
    (lambda record: record["variables"]["v2"].update(dtype="float64"), "values", "dtype"),
    (lambda record: record["steps"].__setitem__(2, None), "error", "only torch"),
    (lambda record: record["steps"].__setitem__(2, {"error": [["ValueError"], "no"]}), "error", "type"),
    (lambda record: record["steps"][2]["error"].__setitem__(1, "no"), "message", "message"),
    (lambda record: record["steps"].__setitem__(3, {"warnings": [["UserWarning", "careful"]]}), "warning", "category"),
])
def test_a_difference_has_its_kind(tools, change, kind, what):
    theirs = tools["record"].run(wengert, PROGRAM)
    ours = copy.deepcopy(theirs)
    change(ours)
    found = tools["compare"].differences(PROGRAM, theirs, ours)
    assert [(difference.kind, difference.what) for difference in found] == [(kind, what)]


def test_a_message_may_go_on_after_pytorchs_sentence(tools):
    theirs = tools["record"].run(wengert, PROGRAM)
    ours = copy.deepcopy(theirs)
    ours["steps"][2]["error"][1] = theirs["steps"][2]["error"][1].split("\n")[0] + " We say more"
    assert tools["compare"].differences(PROGRAM, theirs, ours) == []


def test_what_stays_has_a_reason_and_is_counted_apart(tools):
    rows = tools["report"].known_differences()
    assert all(reason for reason, _, _ in rows)
    theirs = tools["record"].run(wengert, ["x0 = torch.ones(2, 2)", "v1 = 2 ** x0"])
    ours = copy.deepcopy(theirs)
    ours["variables"]["v1"]["stride"] = [1, 2]
    program = ["x0 = torch.ones(2, 2)", "v1 = 2 ** x0"]
    assert "metadata       0" in tools["report"].report([program], [theirs], [ours], 5)
    assert "metadata       1" in tools["report"].report([program], [theirs], [ours], 5, strict=True)
