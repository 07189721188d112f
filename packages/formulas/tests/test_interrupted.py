"""Ctrl-C while the formulas are read for the first time: the next use reads the rest."""

import subprocess
import sys

import pytest
from wengert_formulas.table import FormulaTable

PROGRAM = """
import sys
import wengert_formulas

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "wengert_formulas.derivatives.reduce.sorting":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
try:
    wengert_formulas.load()
except KeyboardInterrupt:
    print("interrupted", end=" ")
table = wengert_formulas.load()
print("sum" in table.entries, "sort" in table.entries, "cos" in table.entries)
"""


def test_the_next_load_goes_on():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("interrupted True True True\n", "")


def test_lines_may_come_again_after_an_interrupt_only():
    table = FormulaTable("acme")
    table.zero("half")
    with pytest.raises(ValueError, match="table 'acme' has two formulas for the op 'half'"):
        table.zero("half")
    table.read_again = True
    table.zero("half")
