"""Launches: calls of kernels as data, which can be run again.

Note [Launches]
    While the thread's WG_TELL is on, a driver tells each call of a kernel to the thread's recorder: it makes a launch
    (``add_launch``), gives it its operands (``add_operand``), and runs it. So a launch that is run again does what the
    driver did, with the same kernel on the same memory. The shortest ways of calls are closed meanwhile (LIVE_BEYOND in
    dispatch/dispatcher.pxd). Where nothing is tested anyway, the number of recorders is, before the mode: the look at a
    thread's modes is a call.
    A driver that has told all that its operation does says so at its end (``tell_complete``). Where memory is read or
    written by what is no launch, ``tell_opaque`` is called. Whoever records calls an operation's driver again where it
    did not tell all (packages/replay).

Note [Operands of a launch]
    ``data`` holds the address of the first element of each operand, which is also what a replay changes where memory
    has moved; a kernel's call is made from ``data`` and ``plan`` each time. The elements lie in ``data + low ..
    data + high``, ``high`` excluded. Of an operand with role OPERAND_CONSTANT the address lies in the plan. A plan is
    allocated with ``malloc`` and freed with its launch; its struct stands beside the driver: PointwisePlan
    (drivers/pointwise/pointwise_launch.pxd), ReducePlan and DividePlan (drivers/reduce/reduce.pxd), ProductPlan and
    AddRowPlan (drivers/linalg/product_launch.pxd), CopyLaunch and FillPlan (exchange/copy_launch.pxd), StorePlan
    (here). The plan of a LAUNCH_KERNEL is its driver's alone: operands say all that others need to know.
    Memory that a kernel needs for its own work is an operand that is written.

Note [Work that a device does later]
    On another device a pointwise operation is a call of its plugin. A recorder may take such a call (``defer_work``),
    to let several run as one. It does all that it has taken when somebody needs an array on memory of the device, its
    array namespace or an address (``do_deferred_work``): whatever else is queued there comes behind it.

Note [Errors of a launch]
    A kernel that meets a value which its driver refuses (an index out of range) gives LAUNCH_FAILED. Whoever ran it
    then calls ``fail`` with the GIL, which raises what the driver raises.
"""
from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    MOST_OPERANDS_OF_LAUNCH = 9

cdef enum LaunchOutcome:               # what a launch's run gives
    LAUNCH_DONE = 0
    LAUNCH_DIFFERS = 1                 # a guard does not hold
    LAUNCH_FAILED = 2                  # Note [Errors of a launch]

cdef enum LaunchKind:
    LAUNCH_CALL = 0                    # calls Python: a replay holds the GIL for it
    LAUNCH_POINTWISE = 1               # PointwisePlan; operands: the inputs, then the output
    LAUNCH_REDUCE = 2                  # ReducePlan; operands: the input, the output
    LAUNCH_DIVIDE = 3                  # DividePlan (drivers/reduce/reduce.pxd); one operand, read and written
    LAUNCH_PRODUCT = 4                 # ProductPlan; operands: a, b, out
    LAUNCH_MOVE = 5                    # no plan, high[0] bytes; operands: the source, the target
    LAUNCH_COPY = 6                    # CopyLaunch; operands: the source, the target
    LAUNCH_FILL = 7                    # FillPlan; one operand, written
    LAUNCH_STORE = 8                   # StorePlan: bytes into memory; one operand, written
    LAUNCH_GUARD = 9                   # StorePlan: whether memory still holds these bytes; one operand, read
    LAUNCH_ADD_ROW = 10                # AddRowPlan; operands: the row, the matrix
    LAUNCH_KERNEL = 11                 # any other kernel

cdef enum OperandRole:
    OPERAND_CONSTANT = 0
    OPERAND_READ = 1
    OPERAND_WRITTEN = 2
    OPERAND_UPDATED = 3                # read and written

ctypedef int (*launch_fn)(Launch* launch) noexcept nogil      # LaunchOutcome
ctypedef int (*fail_fn)(Launch* launch) except -1             # raises
ctypedef int (*see_read_fn)(void* owner) except -1
# whether it takes the work
ctypedef int (*defer_fn)(void* owner, object op, object reference, list inputs, object out) except -1
ctypedef int (*do_deferred_fn)(void* owner) except -1
ctypedef int (*use_outside_fn)(void* owner, char* data, Py_ssize_t nbytes, object holder) except -1

cdef struct Launch:                    # ``run`` reads what stands first, up to ``data``, and of a LAUNCH_MOVE ``high``
    launch_fn run
    fail_fn fail                       # NULL: it cannot fail
    void* plan                         # owned; NULL: none
    char* data[MOST_OPERANDS_OF_LAUNCH]
    Py_ssize_t low[MOST_OPERANDS_OF_LAUNCH]        # bytes from data
    Py_ssize_t high[MOST_OPERANDS_OF_LAUNCH]
    uint8_t role[MOST_OPERANDS_OF_LAUNCH]          # OperandRole
    uint8_t n_operands
    uint8_t kind                       # LaunchKind
    uint8_t plan_words                 # of 8 bytes, of a LAUNCH_KERNEL's plan; 0: its size is not known
    uint32_t step                      # the operation that it belongs to: for whoever records

cdef struct StorePlan:
    Py_ssize_t nbytes
    char bytes[8]                      # nbytes of them

cdef struct Recorder:
    Launch* launches                   # owned by the recorder's owner
    Py_ssize_t n
    Py_ssize_t room
    uint32_t step                      # written into each launch
    int depth                          # operations that run
    int opaque                         # calls of tell_opaque since the owner set it to 0
    void* owner                        # borrowed
    use_outside_fn use_outside         # what tell_outside calls for the owner; NULL: it does not use such memory
    see_read_fn see_read               # what tell_read calls for the owner, behind the guard's launch; NULL: nothing
    const void* complete               # the last operation whose driver told all
    defer_fn defer                     # what defer_work calls for the owner; NULL: it takes no work
    do_deferred_fn do_deferred         # what do_deferred_work calls for the owner; NULL: nothing

cdef const int* count_recorders() noexcept nogil   # where the number of recorders stands, of all threads
cdef Recorder* recorder() noexcept nogil           # of this thread; NULL: none
cdef void set_recorder(Recorder* own) noexcept nogil
# plan: taken over, also where this fails
cdef Launch* add_launch(launch_fn run, int kind, void* plan) except NULL
cdef void add_operand(Launch* launch, char* data, Py_ssize_t low, Py_ssize_t high, int role) noexcept
cdef void add_strided(
    Launch* launch, char* data, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t itemsize,
    int role
) noexcept
cdef void free_launch(Launch* launch) noexcept
# A plan of these bytes for many launches: nobody writes to it or frees it. NULL: there is no room for another one.
cdef void* share_plan(const void* plan, size_t nbytes) noexcept
cdef void tell_complete(const void* op) noexcept
cdef void tell_opaque() noexcept
# Launches work on memory that belongs to an object of Python, which is no tensor: a generator's state.
cdef int tell_outside(char* data, Py_ssize_t nbytes, object holder) except -1
# A number leaves for Python: a guard, or a reason why an operation is opaque. The thread's WG_TELL is on.
cdef int tell_read(char* data, Py_ssize_t nbytes) except -1
cdef int tell_store(char* data, Py_ssize_t nbytes) except -1      # these bytes, at each replay
# Whether the recorder computes a pointwise operation on a device later: Note [Work that a device does later].
# reference: the op's, or that of a variant.   inputs: tensors of the device, numbers and tensors without dims of the
# host, None. All numbers have the dtype of ``out``.
cdef bint defer_work(object op, object reference, list inputs, object out) except -1
cdef int do_deferred_work() except -1
cdef int tell_move(char* target, char* source, Py_ssize_t nbytes) except -1
