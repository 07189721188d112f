"""Tables of events, as text and as HTML. Columns, widths and order are torch's."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import floor, log10
from typing import Any, NamedTuple

from wengert_core.extend import as_list

from wengert_profiler.views.formats import format_memory, format_share, format_time

WIDTH = 12
KEYS = (
    "cpu_time",
    "cuda_time",
    "cpu_time_total",
    "cuda_time_total",
    "self_cpu_time_total",
    "self_cuda_time_total",
    "cpu_memory_usage",
    "cuda_memory_usage",
    "self_cpu_memory_usage",
    "self_cuda_memory_usage",
    "count",
    "flops",
)
"""What tables are sorted by in the references; any other field that has an order will do."""
DEVICES = ("cuda", "xpu", "privateuse1")
PREFIXES = ("", "K", "M", "G", "T", "P")


class Options(NamedTuple):
    """What ``table`` was asked for."""

    sort_by: str | None = None
    row_limit: int = 100
    max_src_column_width: int = 75
    max_name_column_width: int = 55
    max_shapes_column_width: int = 80
    header: str | None = None
    top_level_events_only: bool = False
    time_unit: str | None = None


class Table(NamedTuple):
    """Columns with their widths, rows of cells; the last cell of a row may be the lines of a stack."""

    heads: list[str]
    widths: list[int]
    rows: list[list[str]]
    stacks: list[list[str]]
    """The lines for each row; empty: there is no column for them."""
    source_width: int
    totals: list[str]


def make_table(events: Sequence[Any], options: Options, *, device: str | None, memory: bool, flops: bool) -> Table:
    """Choose the columns and fill the cells."""
    total = sum(event.self_cpu_time_total for event in events)
    device_total = sum(event.self_device_time_total for event in events)
    shown = order_rows(events, options)
    unit, divisor = flop_unit(events) if flops else ("", 1.0)
    shapes = any(event.input_shapes for event in events)
    longest_overload = max((len(overload_name(event)) for event in events), default=0)
    columns: list[tuple[str, Any]] = [
        *([("Overload Name", overload_name)] if longest_overload else []),
        ("Self CPU %", lambda e: format_share(e.self_cpu_time_total, total)),
        ("Self CPU", lambda e: format_time(e.self_cpu_time_total, options.time_unit)),
        ("CPU total %", lambda e: "0" if e.is_async else format_share(e.cpu_time_total, total)),
        ("CPU total", lambda e: format_time(e.cpu_time_total, options.time_unit)),
        ("CPU time avg", lambda e: format_time(e.cpu_time, options.time_unit)),
    ]
    name = device.upper() if device else ""
    if device:
        columns += [
            (f"Self {name}", lambda e: format_time(e.self_device_time_total, options.time_unit)),
            (
                f"Self {name} %",
                lambda e: format_share(e.self_device_time_total, device_total) if device_total else "0.00%",
            ),
            (f"{name} total", lambda e: format_time(e.device_time_total, options.time_unit)),
            (f"{name} time avg", lambda e: format_time(e.device_time, options.time_unit)),
        ]
    if memory:
        columns += [
            ("CPU Mem", lambda e: format_memory(e.cpu_memory_usage)),
            ("Self CPU Mem", lambda e: format_memory(e.self_cpu_memory_usage)),
        ]
        if device:
            columns += [
                (f"{name} Mem", lambda e: format_memory(e.device_memory_usage)),
                (f"Self {name} Mem", lambda e: format_memory(e.self_device_memory_usage)),
            ]
    columns.append(("# of Calls", lambda e: str(e.count)))
    heads = ["Name", *[head for head, _ in columns]]
    widths = [
        width(max((len(str(e.key)) for e in events), default=0), options.max_name_column_width),
        *[WIDTH if cell is not overload_name else width(longest_overload, WIDTH) for _, cell in columns],
    ]
    rows = [[shorten(str(e.key), options.max_name_column_width), *[cell(e) for _, cell in columns]] for e in shown]
    if shapes:
        heads.append("Input Shapes")
        widths.append(width(max(len(str(e.input_shapes)) for e in events), options.max_shapes_column_width))
        for event, row in zip(shown, rows, strict=True):
            row.append(str(event.input_shapes)[: options.max_shapes_column_width])
    if flops and unit is not None:
        heads.append(f"Total {unit}FLOPs")
        widths.append(WIDTH)
        for event, row in zip(shown, rows, strict=True):
            row.append(f"{event.flops / divisor:.3f}" if event.flops else "--")
    stacks, source_width = [], 0
    if any(event.stack for event in events):
        longest = max(len(line) for event in events for line in event.stack or ())
        source_width = min(longest + 4, options.max_src_column_width)
        stacks = [[ending(line, source_width) for line in event.stack or ()] for event in shown]
    totals = [f"Self CPU time total: {format_time(total, options.time_unit)}"]
    if device:
        totals.append(f"Self {name} time total: {format_time(device_total, options.time_unit)}")
    return Table(heads, widths, rows, stacks, source_width, totals)


def overload_name(event: Any) -> str:
    """The overload of an event's operator as text."""
    return event.overload_name or ""


def order_rows(events: Sequence[Any], options: Options) -> list[Any]:
    """The rows that are shown, in their order."""
    shown = as_list(events)
    if options.sort_by is not None:
        if not isinstance(options.sort_by, str):
            raise AttributeError(f"table(): sort_by must be a str or None, got {type(options.sort_by).__name__}")
        key = with_device(options.sort_by)
        for event in shown[:1]:
            if not hasattr(event, key):
                raise AttributeError(
                    f"'{type(event).__name__}' object has no attribute '{key}': sort_by is one of {', '.join(KEYS)}, "
                    "or another field of the events"
                )
        shown.sort(key=lambda event: getattr(event, key), reverse=True)
    if options.top_level_events_only:
        shown = [event for event in shown if event.cpu_parent is None]
    return shown if options.row_limit < 0 else shown[: options.row_limit]


def with_device(key: str) -> str:
    """A field by the name it has now: ``self_cuda_time_total`` is ``self_device_time_total``."""
    for name in DEVICES:
        key = key.replace(name, "device")
    return key


def flop_unit(events: Sequence[Any]) -> tuple[Any, float]:
    """The prefix in which the smallest number is 1 or more; None when nothing was counted."""
    counted = [event.flops for event in events if event.flops]
    if not counted:
        return None, 1.0
    power = max(0, min(floor(log10(min(counted)) / 3), len(PREFIXES) - 1))
    return PREFIXES[power], 1000.0**power


def width(longest: int, limit: int) -> int:
    """The width of a column for text."""
    return min(longest + 4, limit)


def shorten(text: str, limit: int) -> str:
    """A text that fits into its column; its end is cut off."""
    return text[: limit - 3] + "..." if len(text) >= limit - 3 else text


def ending(text: str, limit: int) -> str:
    """A path that fits into its column; its beginning is cut off."""
    return "..." + text[len(text) - limit + 3 :] if len(text) > limit else text


def as_text(table: Table, options: Options) -> str:
    """The table as torch prints it."""
    lines: list[str] = []
    sides = [f"{{:>{one}}}" for one in table.widths] + ([f"{{:<{table.source_width}}}"] if table.stacks else [])
    layout = "  ".join(sides) + "  "
    rule = layout.format(*["-" * one for one in (*table.widths, *([table.source_width] if table.stacks else ()))])
    line = "=" * (len(rule) - 2)
    if options.header is not None:
        lines += [line, options.header]
    if options.top_level_events_only:
        lines += [line, "This report only display top-level ops statistics"]
    heads = [*table.heads, *(["Source Location"] if table.stacks else [])]
    lines += [rule, layout.format(*heads), rule]
    blank = [""] * len(table.heads)
    for i, row in enumerate(table.rows):
        if not table.stacks:
            lines.append(layout.format(*row))
            continue
        stack = table.stacks[i]
        lines.append(layout.format(*row, stack[0] if stack else ""))
        lines += [layout.format(*blank, line) for line in (*stack[1:], "")]
    return "\n".join([*lines, rule, *table.totals]) + "\n"


def as_html(table: Table, options: Options) -> str:
    """The table for a notebook. What a program has named is escaped."""
    parts = ["<table>"]
    if options.header is not None:
        parts.append(f"<caption>{escape(options.header)}</caption>")
    heads = [*table.heads, *(["Source Location"] if table.stacks else [])]
    parts.append("<thead><tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr></thead><tbody>")
    for i, row in enumerate(table.rows):
        cells = [f'<td style="text-align:right">{escape(cell)}</td>' for cell in row]
        if table.stacks:
            cells.append(
                '<td style="text-align:left">' + "<br>".join(escape(line) for line in table.stacks[i]) + "</td>"
            )
        parts.append("<tr>" + "".join(cells) + "</tr>")
    parts.append(f"</tbody></table><p>{'<br>'.join(escape(line) for line in table.totals)}</p>")
    return "".join(parts)
