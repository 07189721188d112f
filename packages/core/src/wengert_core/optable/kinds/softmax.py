"""Rows of softmax and its kin, and of the loss that picks classes."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out
from wengert_core.optable.kinds.signatures import expect_signature


class SoftmaxRows(Rows):
    """Rows that normalise along one dim, or pick from it."""

    @s.checked(kernel=s.one_of("softmax", "log_softmax", "softmax_backward", "log_softmax_backward"),
               reference=s.function, doc=s.text, backward=s.flag)
    def softmax(self, schema: str, *, kernel: str, reference: Reference, doc: str, backward: bool = False) -> Op:
        """A row normalising along ``dim``, or (``backward``) the gradient from ``grad_output`` and ``output``.

        kernel: a name of kernels/reduce/softmax.pxd.
        reference: callable (xp, arrays, dim); low precision comes as float32.
        """
        expect_signature(self, schema, "softmax_backward" if backward else "softmax")
        op = Op(schema if backward else with_out(schema), "softmax", doc=doc, reference=reference)
        driver("reduce.softmax").configure(op, kernel, backward)
        return self.add(op, op.name, method=not backward)

    @s.checked(reference=s.function, doc=s.text, backward=s.flag)
    def class_loss(self, schema: str, *, reference: Reference, doc: str, backward: bool = False) -> Op:
        """The row of nll_loss or (``backward``) of its gradient. reference: callable (xp, *arguments)."""
        expect_signature(self, schema, "class_loss_backward" if backward else "class_loss")
        op = Op(schema, "class_loss", doc=doc, reference=reference, options={"function": False})
        driver("loss.nll_loss").configure(op, backward)
        return self.add(op, op.name, method=False)
