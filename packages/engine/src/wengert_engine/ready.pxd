"""A heap of the nodes that are ready to run, the largest sequence number first. Inline: a run's inner loop."""
from libc.stdint cimport uint32_t, uint64_t


cdef struct Ready:
    uint64_t sequence                  # of the node
    uint32_t slot                      # of the run: where the node and its gradients wait


cdef inline void push(Ready* heap, uint32_t* n, uint64_t sequence, uint32_t slot) noexcept:
    """Add a node to a heap of n, which has room for it."""
    cdef uint32_t i = n[0], parent
    n[0] += 1
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent].sequence >= sequence:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i].sequence = sequence
    heap[i].slot = slot


cdef inline uint32_t pop(Ready* heap, uint32_t* n) noexcept:
    """Take the youngest node out of a heap of n > 0; returns its slot."""
    cdef uint32_t slot = heap[0].slot, i = 0, child
    n[0] -= 1
    cdef Ready last = heap[n[0]]
    while True:
        child = 2 * i + 1
        if child >= n[0]:
            break
        if child + 1 < n[0] and heap[child + 1].sequence > heap[child].sequence:
            child += 1
        if last.sequence >= heap[child].sequence:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return slot
