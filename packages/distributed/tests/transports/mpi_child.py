"""Run a Python program as a child of this one: ``mpi_child.py PROGRAM ARGUMENTS``.

hydra ends a job when it sees that a signal killed a rank, also with -disable-auto-cleanup. Here it sees an ordinary end
with a status, and lets the other ranks live; its notice to them (SIGUSR1) is ignored.
"""

from __future__ import annotations

import signal
import subprocess
import sys

signal.signal(signal.SIGUSR1, signal.SIG_IGN)
command = [sys.executable, *sys.argv[1:]]
status = subprocess.run(command, close_fds=False, check=False).returncode  # one of the files is PMI's socket
sys.exit(status if status >= 0 else 128 - status)
