"""The profiler: where time and memory go. Mounted as ``wengert.autograd.profiler`` and ``wengert.profiler``.

>>> import wengert as wg
>>> x = wg.ones(2, 3, requires_grad=True)
>>> with wg.autograd.profiler.profile(record_shapes=True) as prof:
...     (x * x).sum().backward()
>>> [(row.key, row.count) for row in prof.key_averages()][:3]
[('aten::mul', 3), ('aten::sum', 1), ('aten::ones_like', 1)]
"""
