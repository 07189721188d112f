"""Random programs of views, writes, hooks and backward passes, saved and loaded."""

from __future__ import annotations

import io
import random
import warnings

import wengert as wg
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load, save_program
from wengert_testing.programs import random_program

from ..test_replayed_programs import VALUES, numbers_of, program_of

PROGRAMS = 60


def test_random_programs_from_files_give_the_same_bits():
    loaded, refusals = 0, set()
    for seed in range(PROGRAMS):
        steps = random_program(random.Random(seed))
        function, captured = program_of(steps, []), wg.capture(program_of(steps, []))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for values in VALUES:
                captured(wg.tensor(values, dtype=wg.float64))
            for program in wg.replay.explain(captured).programs:
                file = io.BytesIO()
                try:
                    save_program(program, file)
                except ProgramFileError as error:
                    refusals.add(str(error).partition(" of ")[0])
                    continue
                other = load(io.BytesIO(file.getvalue()))
                loaded += 1
                for values in VALUES * 2:
                    numbers = wg.tensor(values, dtype=wg.float64)
                    try:
                        got = numbers_of(other(numbers))
                    except ProgramGuardError:
                        continue
                    assert got == numbers_of(function(numbers)), (seed, steps, str(program))
    assert loaded > PROGRAMS // 2
    assert refusals <= {"the function caught an error"}
