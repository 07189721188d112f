"""The exception of linear algebra, alone in its module: wengert has it at once, linear algebra when it is needed."""


class _LinAlgError(RuntimeError):  # torch's name of it
    """A matrix has not what was asked of it: it is singular, not positive-definite, or an algorithm found no end."""


LinAlgError = _LinAlgError
