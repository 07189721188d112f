"""Files of programs: what is in them, and what none can hold."""

from __future__ import annotations

import io
import json

import pytest
import wengert as wg
from wengert_core.extend import OpTable
from wengert_registry import registry
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load
from wengert_replay.exporting.container import unpack_arrays

from .exported import check, last_program, reload_program, save_bytes, tensors


def test_parameters_are_arrays_that_other_programs_read():
    weight = wg.rand(2, 3)
    captured = wg.capture(lambda x: x @ weight)
    captured(wg.ones(1, 2))
    data = save_bytes(last_program(captured), {"weight": weight})
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert header["tensors.weight"]["dtype"] == "F32"
    assert header["tensors.weight"]["shape"] == [2, 3]
    arrays, metadata = unpack_arrays(data)
    assert bytes(arrays["tensors.weight"].data) == weight.numpy().tobytes()
    assert metadata["format"] == "wengert.program"
    text = json.loads(bytes(arrays["program"].data))
    assert {"matmul", "mm"} & {entry["name"] for entry in text["ops"]}
    assert any(line.startswith("test_export_files.py:") for line in text["lines"])


def test_a_loaded_program_prints_its_operations():
    weight = wg.ones(2)
    captured = wg.capture(lambda x: (x * weight).sum(0) if x.mean() > 0 else x.exp())
    for x in (wg.ones(2), -wg.ones(2)):
        captured(x)
    lines = str(reload_program(last_program(captured))).split("\n")
    assert lines[0].endswith("takes (a0: float32[2]); 1 tensor from outside>")
    text = "\n".join(lines)
    assert "mul(a0, w0): float32[2]  # test_export_files.py:" in text
    assert "guard(%1, [True]): " in text
    assert "branch of 0 at operation 2:\nguard(%1, [False]): " in text
    assert "%2 = exp(a0): float32[2]" in text


def test_names_are_those_of_one_tensor_each():
    first, second = wg.ones(2), wg.zeros(2)
    captured = wg.capture(lambda x: x * first + second)
    captured(wg.ones(2))
    program = last_program(captured)
    assert set(reload_program(program, {"second": second, "another": wg.ones(1)}).tensors) == {"w0", "second"}
    with pytest.raises(ProgramFileError, match="names"):
        save_bytes(program, {"w1": first})
    with pytest.raises(TypeError):
        reload_program(program).tensors["w0"] = first


def test_paths_and_open_files_are_written(tmp_path):
    captured = wg.capture(lambda x: x * 2)
    captured(wg.ones(2))
    program = last_program(captured)
    program.save(tmp_path / "step.program")
    assert load(str(tmp_path / "step.program"))(wg.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="path"):
        program.save(5)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


def test_python_functions_are_refused_by_name():
    def noise(x):
        return x * 2

    noise.file_hint = "write it as an operation"
    disabled = wg.compiler.disable(noise)
    captured = wg.capture(lambda x: disabled(x) + 1)
    captured(wg.ones(2))
    with pytest.raises(
        ProgramFileError, match=r"Python function .*noise \(.*test_export_files.py:\d+\).*: write it as an op"
    ):
        save_bytes(last_program(captured))
    del noise.file_hint
    with pytest.raises(ProgramFileError, match="no file can hold: call it before or behind the captured function, or"):
        save_bytes(last_program(captured))


def test_settings_of_python_functions_become_tensors():
    rate = [0.5]

    def setting():
        return wg.tensor(rate[0]), "fast"

    setting.frozen_result = setting
    disabled = wg.compiler.disable(setting)
    captured = wg.capture(lambda x: x * disabled()[0] if (disabled()[0] * x).sum() > 2 else x)
    for x in (wg.ones(2), wg.full((2,), 5.0)):
        captured(x)
    program = reload_program(last_program(captured))
    assert program(wg.ones(2)).tolist() == [1.0, 1.0]
    assert program(wg.full((2,), 5.0)).tolist() == [2.5, 2.5]
    for t in program.tensors.values():
        t.fill_(2.0)
    assert program(wg.full((2,), 5.0)).tolist() == [10.0, 10.0]
    assert program(wg.ones(2)).tolist() == [2.0, 2.0]


def test_a_python_loop_in_place_of_a_construct_holds_the_numbers_that_were_recorded():
    def double(n, x):
        for _ in range(int(n)):
            x = x * 2
        return x

    captured = wg.capture(double)
    for n in (3, 3, 5, 5):
        captured(wg.tensor(n), wg.ones(2))
    program = reload_program(last_program(captured))
    assert [program(wg.tensor(n), wg.ones(2)).tolist() for n in (3, 5)] == [[8.0, 8.0], [32.0, 32.0]]
    with pytest.raises(ProgramGuardError, match="is 4, and was 3"):
        program(wg.tensor(4), wg.ones(2))


@pytest.mark.parametrize(("function", "words"), [
    (lambda x: wg.func.jvp(lambda x: x * x, (x,), (x,))[1], "no operation .* as a tangent is: compute"),
    (lambda x: wg.func.jvp(lambda x: x * x, (x,), (x,))[1] + 1, "no operation has given: .* a tangent; compute"),
])  # fmt: skip
def test_tangents_are_refused(function, words):
    captured = wg.capture(function)
    captured(wg.ones(2))
    with pytest.raises(ProgramFileError, match=words):
        save_bytes(last_program(captured))


def test_arguments_that_no_file_holds_are_refused():
    class Model:
        scale = 2

    captured = wg.capture(lambda model, x: x * model.scale)
    captured(Model(), wg.ones(2))
    with pytest.raises(ProgramFileError, match=r"an argument is of type Model, .*: use tensors, numbers"):
        save_bytes(last_program(captured))


def test_results_with_a_graph_are_refused_and_without_one_saved():
    weight = wg.ones(2, requires_grad=True)
    captured = wg.capture(lambda x: (x * weight).sum())
    for _ in range(3):
        captured(wg.ones(2))
    programs = wg.replay.explain(captured).programs
    with pytest.raises(ProgramFileError, match=r"a result of the program has a graph: .* no_grad\(\)"):
        save_bytes(programs[-1])
    with wg.no_grad():
        captured(wg.ones(2))
    program = reload_program(last_program(captured))
    assert [program(wg.full((2,), 3.0)).item() for _ in range(3)] == [6.0] * 3
    assert not program(wg.ones(2)).requires_grad


def test_a_value_that_an_operation_in_place_keeps_is_saved():
    def step(x):
        leaf = x.detach().requires_grad_()
        y = leaf.exp()
        y = (y * 2).mul_(leaf).sigmoid_()
        (gradient,) = wg.autograd.grad(y.sum(), leaf)
        return gradient

    check(step, *tensors(3))


def test_a_program_whose_tensors_were_replaced_is_refused():
    weight = wg.ones(2)
    captured = wg.capture(lambda x: x * weight)
    captured(wg.ones(2))
    weight.set_(wg.zeros(2))
    with pytest.raises(ProgramFileError, match="other memory"):
        save_bytes(last_program(captured))


def test_an_operation_of_a_plugin_is_named_where_it_is_missing():
    table = OpTable("acme")
    cube = table.pointwise_unary("acme_cube(Tensor self) -> Tensor", reference=lambda xp, x: x * x * x)
    with registry.group("ops").register("acme", table, owner="acme-ops 1.2"):
        captured = wg.capture(lambda x: cube(x) + 1)
        captured(wg.ones(2))
        data = save_bytes(last_program(captured))
        assert load(io.BytesIO(data))(wg.full((2,), 2.0)).tolist() == [9.0, 9.0]
    with pytest.raises(ProgramFileError, match=r"'acme::acme_cube' of the package .*no op table 'acme'"):
        load(io.BytesIO(data))
