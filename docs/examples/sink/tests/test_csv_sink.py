import csv

import wengert as wg
from wengert.autograd.profiler import profile


def test_a_line_for_each_operation(tmp_path):
    path = tmp_path / "operations.csv"
    with profile(profile_memory=True, sinks=[f"csv:{path}"]) as prof:
        for _ in range(3):
            x = wg.ones(100) * 2
        del x
    with open(path, newline="", encoding="utf-8") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert {name: int(row["calls"]) for name, row in rows.items()} == {
        row.key: row.count for row in prof.key_averages()
    }
    assert int(rows["aten::mul"]["calls"]) == 3
    assert float(rows["aten::mul"]["self_cpu_us"]) > 0
