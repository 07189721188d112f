/* The one thread-local record of core: which modes are active. Note [One test decides] in state.pxd says how it is
   read. */
#ifndef WENGERT_STATE_H
#define WENGERT_STATE_H
#include <Python.h>

enum {
    WG_GRAD = 1,          /* tensor: requires grad.   mode: recording is on */
    WG_DUAL = 2,          /* tensor: has a tangent, or had one of a level that is over. mode: on, unless tangents are
                             not wanted; whether a level is open, which is the same for all threads, says
                             dual_is_open() */
    WG_BATCHED = 4,       /* tensor: has a vmap level. mode: inside vmap */
    WG_FOREIGN = 8,       /* tensor: not on the CPU.  mode: always on */
    WG_OBSERVE = 16,      /* tensor: always on.       mode: an observer (profiler) is active */
    WG_INFER = 32,        /* tensor: always on.       mode: inference mode */
    WG_ASK = 1 << 17,     /* tensor: a view of a tensor that did not require grad; a write to that may have changed it.
                             mode: always on */
    WG_ON_DEVICE = 1 << 18, /* tensor: always on.    mode: drivers run for another device: memory comes from there, and
                             references compute. FOREIGN is then off in the modes. Note [Drivers for other devices] in
                             exchange/device_memory.pxd */
    WG_GUARD = 1 << 19,   /* tensor: never.          mode: a transform of wengert.func runs, which refuses writes to
                             what its function captures. It is looked at before a write, and where memory is made */
    WG_CAST = 1 << 21,    /* tensor: always on.       mode: arguments are cast before an operation runs.
                             Note [Casts before calls] in dispatch/argument_casts.pyx */
    WG_STRONG = 1 << 22,  /* tensor: never.          mode: derivatives computed here have strong zeros: zero times
                             anything is zero */
    WG_DERIVING = 1 << 23, /* tensor: always on.     mode: with STRONG, while a formula computes: whoever has strong
                             products runs the op */
    WG_TELL = 1 << 24,    /* tensor: always on.       mode: drivers tell each call of a kernel to a recorder.
                             Note [Launches] in runtime/launches.pxd */
    WG_RECORD = WG_GRAD | WG_ASK,      /* live with either: the engine looks whether there is something to record */
    WG_TENSOR_ALWAYS = WG_OBSERVE | WG_INFER | WG_ON_DEVICE | WG_CAST | WG_DERIVING | WG_TELL,
    WG_LEFT_ON = WG_OBSERVE | WG_CAST, /* a hook or a Function may switch these on or off for what follows */
    WG_MODE_ALWAYS = WG_FOREIGN | WG_ASK | WG_DUAL
};

typedef struct {
    unsigned int modes;         /* the WG_* bits above */
    unsigned int anomaly;       /* 1: anomaly mode, 2: check for nan too */
    PyObject *saved_hooks;      /* innermost pair of saved-tensor hooks, owned by the engine; NULL: none */
    unsigned int device_number;         /* with ON_DEVICE: Tensor's number of the device */
    unsigned int transform;     /* with GUARD: the number of the innermost transform, which memory made now remembers */
} WgState;

#endif
