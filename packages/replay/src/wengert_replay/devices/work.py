"""Work: what a function queues on a device while that captures, as a graph."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from typing import Any

from wengert_core.extend import CaptureError, device_plugin, set_device_reader
from wengert_engine.extend import set_leaf_stream

from wengert_replay.devices.segments import SegmentRecorder
from wengert_replay.devices.watch import DeviceWatch, set_version
from wengert_replay.refusal import Refusal
from wengert_replay.signature import Unhashable

OURS = os.sep + "wengert_"
TESTS = os.sep + "tests" + os.sep
"""Parts of the files of wengert's modules, and of its tests, which are programs like others."""


class FusionError(RuntimeError):
    """A device cannot compute a chain of operations by one kernel."""


class CaptureFailure(Refusal):
    """An error, the cause of this, that is the capture's or the function's own. ``why`` is the reason if the first."""

    def __init__(self, why: str) -> None:
        super().__init__("")
        self.why = why


def capture_work(
    stream: Any, watch: DeviceWatch, work: Callable[[], None], pool: Any = None, can_read: bool = False
) -> SegmentRecorder:
    """Return the capture of what ``work`` queues on a stream: graphs, the last of which has not run.

    pool: whose memory they may use; None: one of their own.   can_read: whether numbers may be read on the way.
    Raises Refusal where the capture has raised, with the reason where it is the capture's, and FusionError where the
    device cannot compute a chain: everything is as before then.
    """
    plugin, index = device_plugin(stream.device.type), int(stream.device.index or 0)
    current = plugin.current_stream(index)
    stream.wait_stream(current)
    plugin.set_stream(stream)
    leaf_stream = set_leaf_stream(stream)  # another one, of a leaf's first use, would have to wait for captured work
    recorder = SegmentRecorder(stream, watch, pool, can_read)
    try:
        recorder.begin()
        reader = set_device_reader(recorder.read)
        try:
            watch.start()
            try:
                work()
                watch.finish()
            finally:
                watch.stop()
        finally:
            set_device_reader(reader)
            recorder.close()
    except BaseException as error:
        recorder.undo()
        undo(watch)
        if not isinstance(error, Exception):
            raise
        if watch.chain is not None and watch.chain.failure is not None:
            raise FusionError(str(watch.chain.failure)) from watch.chain.failure
        is_refused = isinstance(error, (CaptureError, Unhashable))
        if is_refused:
            raise Refusal(why_not_captured(str(error), error, watch)) from error
        raise CaptureFailure(why_not_captured(f"{type(error).__name__}: {error}", error, watch)) from error
    finally:
        set_leaf_stream(leaf_stream)
        plugin.set_stream(current)
        current.wait_stream(stream)
    return recorder


def why_not_captured(text: str, error: Exception, watch: DeviceWatch) -> str:
    """Return the reason of a call whose capture has raised an error: its text, with the operation and its line."""
    where = ", ".join(one for one in (watch.call.partition("(")[0], failing_line(error)) if one)
    return f"the device cannot capture it: {text}" + (f" ({where})" if where else "")


def failing_line(error: Exception) -> str:
    """Return the line of the program that has called what raised an error of wengert or a device, as "file:line"."""
    line = found = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if OURS in f"{os.sep}{file}" and TESTS not in file:
            found = line  # what this has called may be another library
        else:
            line = f"{file}:{number}"
    return found


def undo(watch: DeviceWatch) -> None:
    """Let leaves have the gradients, tensors the versions, and the host the numbers that they had before a capture.

    Its work on the device is not done.
    """
    watch.undo_on_host()
    for leaf, before in watch.leaves.values():
        leaf.grad = before
    for reference, _, _, version in watch.tensors.values():
        tensor = reference()
        if tensor is not None and tensor._version > version:
            set_version(tensor, version)
