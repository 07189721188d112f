"""Rows of reductions, and of ops along one dim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import dtype
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import EVERY, Reference, Rows, driver, with_out, with_outs
from wengert_core.optable.kinds.signatures import expect_signature

KERNELS = ("sum", "prod", "amax", "amin", "all", "any", "count")
"""Names of core's own kernels of reductions."""
ALONG_KERNELS = ("index", "extreme", "scan", "running", "order", "distinct")


def parameters(schema: str) -> list[str]:
    """The names of a schema's parameters."""
    return [param[0] for param in parse_schema(schema)[1]]


class ReduceRows(Rows):
    """Rows of reductions, scans, sorting and softmax."""

    @s.check_settings(
        kernel=s.one_of("", *KERNELS),
        kind=s.one_of("sum", "mean", "same", "truth", "count"),
        reference=s.function,
        dtypes=s.dtypes,
        doc=s.text,
        method=s.flag,
        no_record=s.flag,
        dim_first=s.flag,
    )
    def reduction(
        self,
        schema: str,
        *,
        kernel: str = "",
        kind: str,
        reference: Reference,
        dtypes: Iterable[dtype] = EVERY,
        doc: str = "",
        method: bool = True,
        no_record: bool = False,
        dim_first: bool = False,
    ) -> Op:
        """A row ``name(Tensor self, int[]? dim=None, bool keepdim=False, ...)``.

        kernel: a word of KERNELS; "": the reference computes.   reference: callable (xp, x, axes, keepdims).
        kind: "sum" (integers give int64), "mean" (floats, divided by the count), "same" (dtype kept, of nothing an
        error), "truth" (bool), "count" (int64).   dtypes: the inputs it takes.
        dim_first: keepdim= and out= are refused where dim is not given, be it None.
        """
        if "dim" not in parameters(schema)[1:2] or "keepdim" not in parameters(schema)[2:3]:
            raise s.row_error(self, schema, "the second parameter of a reduction must be 'dim', the third 'keepdim'")
        s.fitting(self, schema, "reference", reference, 4)
        options = {"dtypes": tuple(dtypes)}
        op = Op(with_out(schema), "reduction", doc=doc, reference=reference, options=options, no_record=no_record,
                dim_first=dim_first)
        driver("reduce.reduce").configure(op, kernel, kind, options["dtypes"])
        return self.add(op, op.name, method=method)

    @s.check_settings(
        reference=s.function,
        results=s.each_of("same", "int64", "sum"),
        dtypes=s.dtypes,
        refusal=s.mapping,
        doc=s.text,
        key=s.text_or_none,
        kernel=s.pair_of(*ALONG_KERNELS),
        method=s.flag,
        no_record=s.flag,
        keeps_order=s.flag,
        free_shape=s.flag,
    )
    def along(
        self,
        schema: str,
        *,
        reference: Reference,
        results: Sequence[str] = ("same",),
        dtypes: Iterable[dtype] = EVERY,
        refusal: Mapping[str, Exception] | None = None,
        doc: str = "",
        key: str | None = None,
        kernel: tuple[str, str] | None = None,
        method: bool = True,
        no_record: bool = False,
        keeps_order: bool = False,
        free_shape: bool = False,
    ) -> Op:
        """A row for work along one dim, computed by ``reference(xp, array, dim, ...)``; dim is counted from the front.

        results: dtype of each output: "same", "int64", "sum" (integers give int64; dtype= decides).
        Several outputs come as the op's named tuple, and out= takes a tuple.
        refusal: by the name of a dtype or category.
        kernel: where there is one for some dtypes: ("index" | "extreme" | "scan" | "running" | "distinct", its name),
        ("order", "").
        key: the name in the table when it is not the op's: "max.dim".
        keeps_order: the results have their dims in the input's order in memory.
        free_shape: the results may have any shape; else the other dims' sizes are the input's.
        """
        if "dim" not in parameters(schema)[1:]:
            raise s.row_error(self, schema, "an op along a dim must have a parameter 'dim' behind the tensor")
        s.as_many(self, schema, results)
        s.fitting(self, schema, "reference", reference, 1 + s.arguments_of(schema, "dtype", "out"))
        op = Op(
            with_out(schema) if len(results) == 1 else with_outs(schema),
            "along",
            doc=doc,
            reference=reference,
            no_record=no_record,
            options={"refusal": refusal or {}, "dtypes": tuple(dtypes)},
        )
        from wengert_core.tensors.named_tuple import result_type

        named = result_type(op.name, op.outputs) if len(results) > 1 else None
        driver("reduce.dimwise").configure(op, tuple(results), named, keeps_order, free_shape)
        if kernel is not None and kernel[0] == "order":
            driver("reduce.sort").configure(op)
        elif kernel is not None and kernel[0] == "distinct":
            driver("reduce.unique").configure(op, kernel[1])
        elif kernel is not None:
            driver("reduce.arg_and_scan").configure(op, *kernel)
        return self.add(op, key or op.name, method=method and key is None)

    @s.check_settings(kernel=s.one_of("softmax", "log_softmax", "softmax_backward", "log_softmax_backward"),
               reference=s.function, doc=s.text, backward=s.flag)
    def softmax(self, schema: str, *, kernel: str, reference: Reference, doc: str = "", backward: bool = False) -> Op:
        """A row normalizing along ``dim``, or (``backward``) the gradient from ``grad_output`` and ``output``.

        kernel: a name of kernels/reduce/softmax.pxd.
        reference: callable (xp, arrays, dim); low precision comes as float32.
        """
        expect_signature(self, schema, "softmax_backward" if backward else "softmax")
        op = Op(schema if backward else with_out(schema), "softmax", doc=doc, reference=reference)
        driver("reduce.softmax").configure(op, kernel, backward)
        return self.add(op, op.name, method=not backward)
