"""A profiler sink: ``profile(sinks=["csv:operations.csv"])`` writes one line for each operation."""

from __future__ import annotations

import csv
from typing import Any

COLUMNS = ("name", "calls", "self_cpu_us", "cpu_us", "memory_bytes")


class CsvSink:
    """Writes the sums of a profile. path: what follows the colon in ``"csv:operations.csv"``."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or "profile.csv"

    def write(self, profile: Any) -> None:
        """Called when the block has ended; an exception in here is one warning, and the program goes on."""
        with open(self.path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for row in sorted(profile.key_averages(), key=lambda row: -row.self_cpu_time_total):
                writer.writerow(
                    [
                        row.key,
                        row.count,
                        f"{row.self_cpu_time_total:.3f}",
                        f"{row.cpu_time_total:.3f}",
                        row.cpu_memory_usage,
                    ]
                )
