"""Runs: a call of a captured function, and the ways from there to gradients. See runs.pyx."""
from wengert_replay.history.joint cimport JointProgram
from wengert_replay.history.residuals cimport Residuals
from wengert_replay.recording.tracing cimport Recording


cdef class Form:
    cdef readonly object structure     # of the result; see ``flatten``
    cdef readonly list outputs         # the tensors in it that have a graph, by their numbers
    cdef readonly list ends            # the inputs that get gradients, by their numbers
    cdef list references               # weak ones, to leaves from outside that outputs depend on
    cdef list own                      # those that the function has made on memory from outside
    cdef readonly list retained        # the outputs that keep their gradients, by their numbers
    cdef readonly list read            # other memory from outside that the function reads and does not write
    cdef readonly list tensors         # from outside, as the function has found them: see ``tensors_outside``

    cdef list leaves_there(self)


cdef class Origins:
    cdef list numbers                  # of each end's gradient, see ``__init__``; where it is plain, among the computed
    cdef list parts
    cdef bint is_plain                 # all are what a program computes, each as a whole

    cdef list gradients(self, list found, list given)


cdef class Joint:
    cdef readonly JointProgram program
    cdef readonly Form form
    cdef readonly Origins origins        # of the gradients


cdef class Derivative:
    cdef public Joint joint            # None: there is none yet
    cdef public str refusal            # why there will be none; ""
    cdef public object higher          # the same as a function, for backwards that build a graph; or None
    cdef tuple expected                # of each output: a description of its gradient, or None

    cdef bint fits(self, tuple grads) except -1


cdef class Way:
    cdef public Joint joint            # what calls run; or None
    cdef readonly dict derivatives     # by what gradients there are, and their dtypes, sizes and strides: Derivative
    cdef public Derivative newest      # the one that ran last; or None
    cdef public bint is_replaced       # a tensor from outside was, before there was a program


cdef class Graph:
    cdef Recording recording           # None: another one goes on with it
    cdef list results
    cdef object __weakref__


cdef class Run:
    cdef readonly object history       # the History
    cdef readonly Form form
    cdef readonly object state         # what the function changes, as it was before
    cdef readonly Py_ssize_t n_inputs
    cdef readonly Way way
    cdef public Joint joint            # that it ran; another one may take its place in the way
    cdef public Residuals residuals    # of this run; None: it was no replay, or there are none
    cdef readonly list versions        # of ``form.read``
    cdef list storages                 # of arguments and leaves, until a backward; None: others may be saved for them
    cdef unsigned int modes            # of the thread in the call, without WG_GRAD, as in a backward
    cdef readonly object kept          # an InputKeeper, where there are several outputs; or None
    cdef public Graph graph            # where the call's recording pauses; or None
    cdef public object twin            # under validate=True: an eager run beside it, with its gradients; else None
    cdef bint applied                  # by Function.apply, whose forward has three more arguments

    cdef list go_on(self, tuple grads)
