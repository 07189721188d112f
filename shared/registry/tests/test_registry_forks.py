"""Locks that no other thread holds while a process forks."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from wengert_registry import fork_lock, forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

START = """
import os, sys, threading, time, warnings
warnings.simplefilter("ignore")           # Python warns of forks beside threads
from wengert_registry import fork_lock, forks

def forks_to(child):
    pid = os.fork()
    if pid == 0:
        os._exit(child())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def begin(work):
    began = threading.Event()
    thread = threading.Thread(target=work, args=(began,))
    thread.start()
    assert began.wait(20)
    return thread
"""


def run(program: str, folder: Path | None = None) -> str:
    """Print what a program prints in a process of its own, which may take a minute."""
    command = [sys.executable, "-c", START + program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_fork_waits_for_the_thread_that_holds_a_lock() -> None:
    program = """
forks.PATIENCE = 30
lock, state = fork_lock(), []
def work(began):
    with lock:
        began.set()
        time.sleep(0.3)
        state.append("whole")
def child():
    with lock:
        return 0 if state == ["whole"] else 1
thread = begin(work)
print(forks_to(child))
thread.join()
with lock:
    print(state)
"""
    assert run(program).split() == ["0", "['whole']"]


def test_a_lock_that_is_never_given_back_is_free_in_the_child() -> None:
    program = """
forks.PATIENCE = 0.2
lock, end = fork_lock(), threading.Event()
def work(began):
    with lock:
        began.set()
        assert end.wait(30)
thread = begin(work)
print(forks_to(lambda: 0 if lock.acquire(timeout=5) else 1))
print(lock.acquire(blocking=False))
end.set()
thread.join()
print(lock.acquire(blocking=False))
"""
    assert run(program).split() == ["0", "False", "True"]


def test_a_thread_that_forks_keeps_what_it_holds_in_both_processes() -> None:
    program = """
lock, other = fork_lock(), fork_lock()
with lock:
    code = forks_to(lambda: 0 if lock._is_owned() and not other._is_owned() and not lock.release() else 1)
    print(code, lock._is_owned(), other._is_owned())
print(lock._is_owned())
"""
    assert run(program).split() == ["0", "True", "False", "False"]


def test_a_fork_does_not_wait_in_a_circle() -> None:
    program = """
forks.PATIENCE = 30
locks = [fork_lock() for _ in range(6)]
end = False
def work(began):
    began.set()
    while not end:
        for first, second in zip(locks, locks[1:]):
            with first, second:
                pass
        time.sleep(0.001)
threads = [begin(work) for _ in range(3)]
def child():
    for lock in locks:
        lock.acquire()
    return 0
print({forks_to(child) for _ in range(50)})
end = True
for thread in threads:
    thread.join()
"""
    assert run(program) == "{0}"


def test_threads_that_fork_at_once_give_back_their_own() -> None:
    program = """
forks.PATIENCE = 30
locks, codes = [fork_lock() for _ in range(5)], []
def work(began):
    began.set()
    for _ in range(20):
        codes.append(forks_to(lambda: 0 if all(lock.acquire(timeout=5) for lock in locks) else 1))
threads = [begin(work) for _ in range(4)]
for thread in threads:
    thread.join()
print(len(codes), set(codes), forks.HELD, all(lock.acquire(blocking=False) for lock in locks))
"""
    assert run(program) == "80 {0} {} True"


def test_a_fork_waits_for_an_import(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\nimport __main__\n__main__.began.set()\ntime.sleep(0.3)\n")
    program = """
forks.PATIENCE = 30
began = threading.Event()
thread = threading.Thread(target=lambda: __import__("slow"))
thread.start()
assert began.wait(20)
def child():
    import slow
    return 0
print(forks_to(child))
thread.join()
"""
    assert run(program, tmp_path) == "0"


def test_a_fork_keeps_no_variable_of_its_callers() -> None:
    program = """
import weakref
class Held: pass
def work():
    held = Held()
    forks_to(lambda: 0)
    return weakref.ref(held)
print(work()())
"""
    assert run(program) == "None"


def test_locks_are_not_kept() -> None:
    before = len(forks.LOCKS)
    locks = [fork_lock() for _ in range(10)]
    assert len(forks.LOCKS) == before + 10
    del locks
    gc.collect()
    assert len(forks.LOCKS) <= before
