"""Rows of operations that make one tensor of several."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out
from wengert_core.optable.kinds.signatures import expect_signature


class JoiningRows(Rows):
    """Rows of the joining family."""

    @s.checked(way=s.one_of("cat", "stack", "repeat"), reference=s.function, doc=s.text, method=s.flag, function=s.flag)
    def joining(
        self, schema: str, *, way: str, reference: Reference, doc: str, method: bool = False, function: bool = True
    ) -> Op:
        """A row of cat, stack or repeat.

        reference: callable (xp, arrays or array, dim or repeats); several arrays come in the result's dtype.
        function: whether torch has a function of that name too, beside the method. It is in the table either way.
        """
        expect_signature(self, schema, way)
        op = Op(
            schema if way == "repeat" else with_out(schema),
            "joining",
            doc=doc,
            reference=reference,
            options={"function": function},
        )
        driver("copy.cat").configure(op, way)
        return self.add(op, op.name, method=method)
