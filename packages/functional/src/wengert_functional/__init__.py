"""Derivatives of functions: those of ``wengert.autograd.functional`` and the transforms of ``wengert.func``.

>>> import wengert as wg
>>> wg.autograd.functional.jacobian(lambda x: x * x, wg.tensor([1.0, 2.0]))
tensor([[2., 0.],
        [0., 4.]])
"""
