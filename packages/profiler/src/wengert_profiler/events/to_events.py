"""The events of a recording as a list of FunctionEvent."""

from __future__ import annotations

from wengert_profiler.columns.event_names import LABEL
from wengert_profiler.columns.records import Records
from wengert_profiler.events.averages import scope_of
from wengert_profiler.events.enums import device_type
from wengert_profiler.events.events import FunctionEvent


def events_of_devices(records: Records, device: str) -> list[FunctionEvent]:
    """A FunctionEvent of the device for each time that was measured there, and none of the CPU."""
    names, which = records.naming
    return [
        FunctionEvent(
            number,
            names[which[one.event]],
            one.stream,
            (one.start - records.started) / 1e3,
            (one.start + one.duration - records.started) / 1e3,
            input_shapes=[],
            stack=[],
            use_device=device,
            device_type=device_type(device),
            device_index=one.device,
            flops=0,
        )
        for number, one in enumerate(one for one in records.device_times if one.stream >= 0)
    ]


def all_events(records: Records, shapes: bool, flops: bool, device: str | None) -> list[FunctionEvent]:
    """A FunctionEvent for each event."""
    table, (names, which) = records.table, records.naming
    counted = records.flops.tolist() if flops else [0] * len(table)
    started, stacks, away = records.started, records.shown_stacks.tolist(), records.on_devices
    own_device = records.without_children(away.total).tolist()
    device_memory, device_index = away.memory.tolist(), away.index.tolist()
    found: list[FunctionEvent] = []
    origins = records.forward_of.tolist()
    threads, arguments = table["thread"].tolist(), records.arguments()
    for i, (event, name, count) in enumerate(zip(table.tolist(), which.tolist(), counted, strict=True)):
        _, start, end, number, memory, shape, _, _, parent, thread, _, kind, *_ = event
        stack = stacks[i]
        one = FunctionEvent(
            i,
            names[name],
            thread + 1,
            (start - started) / 1e3,
            (end - started) / 1e3,
            sequence_nr=number,
            fwd_thread=threads[origins[i]] + 1 if origins[i] >= 0 else 0,
            cpu_memory_usage=memory,
            flops=count,
            input_shapes=records.shapes_of(shape) if shapes and shape else [],
            stack=records.stack_of(stack) if stack else [],
            scope=scope_of(kind),
            is_user_annotation=kind == LABEL,
            use_device=device,
            device_memory_usage=device_memory[i],
            overload_name="",
            trace_name=names[name],
            concrete_inputs=[arguments[i]] if i in arguments else [],
        )
        if own_device[i]:
            one.append_kernel(names[name], device_index[i], own_device[i] / 1e3)
        if parent >= 0:
            found[parent].append_cpu_child(one)
            one.set_cpu_parent(found[parent])
        found.append(one)
    return found
