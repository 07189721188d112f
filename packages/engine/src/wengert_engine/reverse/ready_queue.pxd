"""A heap of the nodes that are ready to run, the largest sequence number first. Inline: a run's inner loop.

Equal numbers, which only leaves have that run early, come out in the order in which C++'s std::priority_queue gives
them, as in torch.
"""
from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    FIRST_OF_ALL = -1                  # as a sequence number: the largest


cdef struct Ready:
    uint64_t sequence                  # of the node
    uint32_t slot                      # of the run: where the node and its gradients wait


cdef inline void lift(Ready* heap, uint32_t i, uint64_t sequence, uint32_t slot) noexcept:
    """Put an entry where it belongs between position i and the top."""
    cdef uint32_t parent
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent].sequence >= sequence:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i].sequence = sequence
    heap[i].slot = slot


cdef inline void push(Ready* heap, uint32_t* n, uint64_t sequence, uint32_t slot) noexcept:
    """Add a node to a heap of n, which has room for it."""
    n[0] += 1
    lift(heap, n[0] - 1, sequence, slot)


cdef inline uint32_t pop(Ready* heap, uint32_t* n) noexcept:
    """Take the youngest node out of a heap of n > 0; returns its slot."""
    cdef uint32_t slot = heap[0].slot, i = 0, child
    n[0] -= 1
    cdef Ready last = heap[n[0]]
    while True:                        # the gap goes to the bottom, the last entry up from there
        child = 2 * i + 2
        if child > n[0]:
            break
        if child == n[0] or heap[child].sequence < heap[child - 1].sequence:
            child -= 1
        heap[i] = heap[child]
        i = child
    lift(heap, i, last.sequence, last.slot)
    return slot


cdef inline void move_up(Ready* heap, uint32_t n, uint32_t slot) noexcept:
    """Let the node in a slot be taken out next. It is mostly the one that was added last."""
    cdef uint32_t i = n
    while i > 0:
        i -= 1
        if heap[i].slot == slot:
            lift(heap, i, <uint64_t> FIRST_OF_ALL, slot)
            return
