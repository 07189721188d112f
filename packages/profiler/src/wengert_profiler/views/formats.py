"""How times, memory and shares are written: as torch writes them."""

from __future__ import annotations

UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def format_time(us: float, unit: str | None = None) -> str:
    """A time given in microseconds.

    >>> format_time(12.5), format_time(2500), format_time(3e6), format_time(12.5, "ms")
    ('12.500us', '2.500ms', '3.000s', '0.013ms')
    """
    if unit is None:
        unit = "s" if us >= 1e6 else "ms" if us >= 1e3 else "us"
    if unit not in UNITS:
        from wengert_core.extend import short_repr
        raise ValueError(f"time_unit must be one of 's', 'ms', 'us' or None, got {short_repr(unit)}")
    return f"{us / UNITS[unit]:.3f}{unit}"


def format_memory(nbytes: float) -> str:
    """A size, or a difference of sizes.

    >>> format_memory(512), format_memory(-3500), format_memory(5 * 2**20)
    ('512 B', '-3.42 KB', '5.00 MB')
    """
    for power, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if abs(nbytes) >= 1 << power:
            return f"{nbytes / (1 << power):.2f} {unit}"
    return f"{int(nbytes)} B"


def format_share(part: float, total: float) -> str:
    """A share in percent.

    >>> format_share(1, 3), format_share(0, 0)
    ('33.33%', 'NaN')
    """
    return f"{100 * part / total:.2f}%" if total else "NaN"
