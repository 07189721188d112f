"""From a recording to plans: where launches and calls work, and what a run does with arguments and results."""
from wengert_replay.programs.memory cimport Memory
from wengert_replay.programs.plans cimport LeafPlan
from wengert_replay.programs.snapshot cimport Snapshot
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.steps cimport Steps


cdef list plan_inputs(Recording recording, Memory memory)
cdef int move_launches(Recording recording, Py_ssize_t first, Memory memory, list inputs) except -1
cdef int move_calls(Recording recording, Py_ssize_t first, Memory memory, list inputs) except -1
# The memory of calls from a number on, by the number of the launch behind that one; behind ``move_calls``.
# all_return: a run comes back from all of them; otherwise from those that name what they write.
cdef dict reaches_of(Recording recording, Py_ssize_t first, bint all_return)
cdef Snapshot plan_snapshot(Recording recording, Py_ssize_t first, Memory memory)
cdef object plan_result(object t, Recording recording, Memory memory, object spent)
cdef bytes words_of_results(list results, Recording recording)
cdef list values_of_words(bytes packed, Steps steps)
cdef int watch_results(list results, Recording recording) except -1
cdef list plan_hooks(Recording recording)
cdef list plan_leaves(Recording recording, Memory memory, object spent)
