"""tensorboard_trace_handler: a file for each window of a profile."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import Any


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """Return a function for ``profile(on_trace_ready=...)`` that writes a trace of each window into a directory.

    The files are called ``WORKER.TIME.pt.trace.json``, with ``.gz`` behind it where use_gzip compresses them. dir_name
    is made where it is absent, RuntimeError where that fails. worker_name: None: the host's name and the process id.
    use_python_export: for PyTorch's sake.

    >>> from wengert.profiler import tensorboard_trace_handler
    >>> handler = tensorboard_trace_handler("traces", worker_name="rank0")
    """

    def write_trace(prof: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write_trace
