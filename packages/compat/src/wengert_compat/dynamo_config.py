"""wengert._dynamo.config: settings of PyTorch's compiler. They are kept, and change nothing: nothing is compiled.

Any name may be set; those below have PyTorch's values at first.

>>> import wengert as wg
>>> wg._dynamo.config.suppress_errors
False
>>> wg._dynamo.config.suppress_errors = True
>>> wg._dynamo.config.suppress_errors
True
>>> wg._dynamo.config.suppress_errors = False
"""

suppress_errors = False
verbose = False
cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
assume_static_by_default = True
automatic_dynamic_shapes = True
dynamic_shapes = True
optimize_ddp = True
capture_scalar_outputs = False
