"""profile: a profile of a program that runs in steps, window by window, as ``torch.profiler.profile`` is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Self

from wengert_core.extend import as_list, checked, warn_user

from wengert_profiler.api import profile as block
from wengert_profiler.api.record_function import record_function
from wengert_profiler.api.schedules import RECORDS, ProfilerAction
from wengert_profiler.columns.device_columns import usable
from wengert_profiler.events.enums import ProfilerActivity
from wengert_profiler.events.event_list import EventList

NO_WINDOW = "Profiler must be initialized before"


def supported_activities() -> set[ProfilerActivity]:
    """Return what a profile can be of here: the CPU, and CUDA where there is such a device.

    >>> from wengert.profiler import ProfilerActivity, supported_activities
    >>> ProfilerActivity.CPU in supported_activities()
    True
    """
    found = {ProfilerActivity.CPU}
    return found | {ProfilerActivity.CUDA} if usable("cuda") else found


def record_each(step: int) -> ProfilerAction:
    """The schedule of a profile that has none."""
    return ProfilerAction.RECORD


@checked
class profile:
    """Context manager that records what operations, derivatives and labels do: all of a block, or windows of its steps.

    activities: of ProfilerActivity; None: what there is. With CUDA, what operations take on the device is measured.
    schedule: a function from the number of a step to a ProfilerAction; None: all is recorded. The program says
    ``prof.step()`` after each step; a step has the label ``ProfilerStep#7``.
    on_trace_ready: called with the profile when a window ends, and with the block.
    record_shapes, profile_memory, with_stack, with_flops, with_modules, sinks: as of ``autograd.profiler.profile``,
    which is in ``profiler`` for the last window; all its names can be used of this object.
    experimental_config, execution_trace_observer, acc_events and custom_trace_id_callback have no effect, and warn.
    AssertionError for activities that are none, and for results before the first window.

    >>> import wengert as wg
    >>> from wengert.profiler import ProfilerActivity, profile, schedule
    >>> def show(prof):
    ...     print(prof.step_num, [event.key for event in prof.key_averages()])
    >>> steps = schedule(wait=1, warmup=1, active=1, repeat=1)
    >>> with profile(activities=[ProfilerActivity.CPU], schedule=steps, on_trace_ready=show) as prof:
    ...     for _ in range(4):
    ...         y = wg.zeros(2).exp()
    ...         prof.step()
    3 ['ProfilerStep*', 'aten::zeros', 'aten::exp']
    """

    activities: set[ProfilerActivity]
    schedule: Callable[[int], ProfilerAction]
    record_steps: bool
    step_num: int
    current_action: ProfilerAction

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        sinks: Iterable[Any] = (),
    ) -> None:
        self.activities = supported_activities() if activities is None else set(as_list(activities))
        if use_cuda is not None:
            warn_user("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning)
            self.activities.discard(ProfilerActivity.CUDA)
            self.activities |= {ProfilerActivity.CUDA} if use_cuda else set()
        if not self.activities or not all(isinstance(one, ProfilerActivity) for one in self.activities):
            raise AssertionError(
                f"No valid profiler activities found: profile(activities=...) got {sorted(map(str, self.activities))}, "
                "expected some of ProfilerActivity"
            )
        if execution_trace_observer is not None:
            warn_user("profile(execution_trace_observer=...) has no effect: there is no Kineto")
        self.schedule = record_each if schedule is None else schedule
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: block.profile | None = None
        self._is_open = False
        self._label: record_function | None = None
        self._metadata: dict[str, Any] = {}
        self._settings: dict[str, Any] = {
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "with_stack": with_stack,
            "with_flops": with_flops,
            "with_modules": with_modules,
            "experimental_config": experimental_config,
            "acc_events": acc_events,
            "custom_trace_id_callback": custom_trace_id_callback,
            "post_processing_timeout_s": post_processing_timeout_s,
            "sinks": sinks,
            "use_device": "cuda" if ProfilerActivity.CUDA in self.activities else None,
            "use_cpu": ProfilerActivity.CPU in self.activities,
            "use_kineto": False,
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with the first step."""
        self._move(ProfilerAction.NONE, self.current_action)
        self._begin_label()

    def step(self) -> None:
        """Say that a step of the program is over, and the next one begins."""
        self._end_label()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._move(before, self.current_action)
        self._begin_label()

    def stop(self) -> None:
        """End the last step; a window that is recorded ends with it."""
        self._end_label()
        self._move(self.current_action, ProfilerAction.NONE)

    def _begin_label(self) -> None:
        if self.record_steps:
            self._label = record_function(f"ProfilerStep#{self.step_num}")
            self._label.__enter__()

    def _end_label(self) -> None:
        if self._label is not None:
            self._label.__exit__(None, None, None)
            self._label = None

    def _move(self, before: ProfilerAction, after: ProfilerAction) -> None:
        """End the window that is open, where it does, and open one that begins."""
        if self._is_open and (before is ProfilerAction.RECORD_AND_SAVE or after not in RECORDS):
            assert self.profiler is not None
            self._is_open = False
            self.profiler.__exit__(None, None, None)
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        if not self._is_open and after in RECORDS:
            self.profiler = new_block(self._settings)
            self.profiler.__enter__()
            self._is_open = True

    # ---- results: of the last window

    def _block(self, use: str) -> block.profile:
        if self.profiler is None:
            raise AssertionError(f"{NO_WINDOW} {use}: no window has been recorded yet")
        return self.profiler

    def events(self) -> EventList:
        """All events of the window, in the order in which they began."""
        return self._block("accessing events").function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The sum of the events with one name: see ``autograd.profiler.profile.key_averages``."""
        found = self._block("getting key averages")
        return found.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write a trace which chrome://tracing and ui.perfetto.dev show; compressed where the path ends in ``.gz``.

        OSError when the file cannot be written. use_python_export: for PyTorch's sake.
        """
        self._block("exporting chrome trace").export_chrome_trace(path, self._metadata or None)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write one line for each stack: what flame graph tools read. AssertionError without with_stack=True."""
        self._block("exporting stacks").export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Write a text beside the events of traces that are exported from now on."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write a value, given as JSON, beside the events of traces that are exported from now on."""
        self._metadata[key] = json.loads(value)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Stop recording in a window, and go on with it: see ``autograd.profiler.profile``."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def __getattr__(self, name: str) -> Any:
        """A name of the profile of a block, for the last window."""
        if name.startswith("_") or "profiler" not in vars(self) or not hasattr(block.profile, name):
            raise AttributeError(f"'profile' object has no attribute '{name}'")
        if self.profiler is None:
            raise AttributeError(f"{NO_WINDOW} accessing {name}: no window has been recorded yet")
        return getattr(self.profiler, name)

    def __str__(self) -> str:
        return repr(self) if self._is_open or self.profiler is None else str(self.profiler)

    def __repr__(self) -> str:
        return f"<torch.profiler.profile in step {self.step_num}>"

    def _repr_html_(self) -> str:
        if self.profiler is None or self._is_open:
            return f"<p>{repr(self).replace('<torch', '&lt;torch')}</p>"
        return self.profiler._repr_html_()


def new_block(settings: dict[str, Any]) -> block.profile:
    """The profile of a window. One of the device alone is asked for as torch's Kineto has it."""
    if settings["use_cpu"]:
        return block.profile(**settings)
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "profile\\(use_kineto=")
        return block.profile(**{**settings, "use_kineto": True})
