"""Program: launches that run again. See program.pyx."""
from wengert_replay.memory.arena cimport Arena
from wengert_replay.programs.memory cimport Memory
from wengert_replay.programs.outside cimport Outside
from wengert_replay.programs.snapshot cimport Snapshot
from wengert_replay.programs.stream cimport Stream
from wengert_replay.programs.structure cimport Structure
from wengert_replay.instructions.turns cimport Turn
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.tracing cimport Recording

cdef enum Outcome:
    OUTCOME_DONE = 0
    OUTCOME_MISSED = 1                 # a guard or the shape of a result differs: ``at`` is its row, ``seen`` its value
    OUTCOME_RETURNED = 2               # ``at`` is the row behind the return point


cdef class Program:
    cdef Stream stream                 # what runs
    cdef Memory memory                 # where everything is
    cdef Snapshot snapshot             # what may have to be undone
    cdef Structure structure           # None where there can be no branches
    cdef readonly Program trunk        # the program that this is a branch of; or None
    cdef readonly Py_ssize_t fork      # the number of the launch where it leaves the trunk
    cdef bint repeats                  # it begins with the operation that failed in the trunk, and not behind it
    cdef readonly dict fork_table      # by (number, what was seen): the branch
    cdef readonly object steps
    cdef readonly dict calls           # by the number of the launch: Call
    cdef readonly list inputs          # of InputPlan, one for each tensor among the arguments
    cdef Outside surroundings
    cdef list ways                     # of arguments that the function may look up, too: (number, Lookups); or None
    cdef readonly list leaves          # of LeafPlan
    cdef bint moves_gradients          # Note [Gradients that are made anew] in kept_gradients.pyx
    cdef list hooks                    # of HookPlan
    cdef readonly list results         # of ResultPlan, or of objects that are results themselves
    cdef list direct                   # of ResultPlan: Note [Arguments and results in place] in plans.pyx
    cdef bytes result_words            # of each tensor of the result: the word of its recorded value
    cdef public object key             # the signature that it was recorded for
    cdef readonly list notes           # of its recording
    cdef readonly object shape         # the structure of the result, as signature.flatten gives it
    cdef readonly Py_ssize_t n_launches    # calls of drivers, Python functions and constructs among them
    cdef readonly Py_ssize_t replays
    cdef readonly Py_ssize_t guard_failures
    cdef Turn turn
    cdef public str ended              # why it is replayed no more; None
    cdef Py_ssize_t return_point       # the number of the call where the function has returned, and a run stops; -1
    cdef unsigned long busy            # the thread in which it runs; 0: in none
    cdef int busy_fork                 # the number of the process, among its forks, in which it does
    cdef char* at                      # the row where a run stops
    cdef object seen
    cdef list found                    # the tensors of the call that has stopped a run
    cdef list names                    # of the stream's marks, for a profile; None

    cdef Py_ssize_t leave_trunk(self, Recording recording, object seen) except -1
    cdef bint writes_outside(self) except -1
    cdef int share_turn(self, Turn turn) except -1
    cdef int set_turn(self, Turn turn) except -1
    cdef int take_turn(self) except -1
    cdef bint is_busy(self) noexcept
    cdef void occupy(self) noexcept
    cdef list run_python(self, Call call)
    cdef int note_memory(self) except -1
    cdef bint may_branch(self) noexcept
    cdef int link_gradients(self, Recording recording, list results) except -1
    cdef int fill_stream(self, Recording recording, Py_ssize_t first, Arena arena) except -1
    cdef object run_along(self, list inputs)
    cdef int prepare_results(self) except -1
    cdef void withdraw_results(self) noexcept
    cdef bint fits(self, list inputs) except -1
    cdef bint finds_arguments(self, list inputs) except -1
    cdef bint enter(self, list found) except -1
    cdef bint fails_in_python(self) except -1
    cdef int run_from(self, char* at) except -1        # Outcome
    cdef int copy_in(self, list inputs, Py_ssize_t first=*) except -1
    cdef int finish(self, list inputs) except -1
    cdef list collect(self, list inputs)
