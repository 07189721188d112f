"""Rows of pointwise operations: unary, binary, ternary, and with parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.drivers.pointwise import pointwise as _pointwise
from wengert_core.drivers.references import UfuncOfNumPy
from wengert_core.dtypes.dtypes import dtype
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import EVERY, Reference, Rows, with_out

NO_RECORD = ("compare", "logical")  # promotions whose result is bool
PROMOTIONS = ("same", "float", "compare", "logical", "where", "real", "float_real", "strict")
CHECKS = (None, "divisor", "exponent", "no_bool", "true_division", "bound", "factor")
"""The subject of a row's check beside dtypes: a divisor of integers, an exponent of integers, a bool, integers in a
true division, a number that the dtype does not hold, or that does not which is computed in."""
NARROW = (None, "numbers", "first", "quotient")
VARIANT = ("n_in", "kernels", "reference", "promotion", "dtypes", "check", "narrow")
"""Settings of a variant."""

if TYPE_CHECKING:

    class Pointwise(TypedDict, total=False):
        """Settings of a pointwise row."""

        kernels: Sequence[Any]
        reference: Reference | None
        dtypes: Iterable[dtype]
        promotion: str
        doc: str
        method: bool
        inplace: bool
        no_record: bool
        refusal: Mapping[str, str | Exception] | None
        texts: Mapping[str, Any] | None
        operator: bool
        n_promote: int | None
        alpha: str | None
        check: str | None
        variant: str | None
        variants: Mapping[Any, Mapping[str, Any]] | Sequence[tuple[Any, Mapping[str, Any]]]
        bounds: bool
        identity: str | None
        narrow: str | None


class PointwiseRows(Rows):
    """Rows of the pointwise family."""

    @s.check_settings(
        kernels=s.kernels, reference=s.function_or_none, dtypes=s.dtypes, promotion=s.one_of(*PROMOTIONS), doc=s.text,
        method=s.flag, inplace=s.flag, no_record=s.flag, refusal=s.mapping, texts=s.mapping, operator=s.flag,
        n_promote=s.whole_or_none, alpha=s.text_or_none, check=s.one_of(*CHECKS), variant=s.text_or_none,
        variants=s.anything, bounds=s.flag, identity=s.one_of(None, "real", "always"),
        narrow=s.one_of(*NARROW),
    )  # fmt: skip
    def pointwise(
        self,
        n_in: int,
        schema: str,
        *,
        kernels: Sequence[Any] = (),
        reference: Reference | None = None,
        dtypes: Iterable[dtype] = EVERY,
        promotion: str = "same",
        doc: str = "",
        method: bool = True,
        inplace: bool = True,
        no_record: bool = False,
        refusal: Mapping[str, str | Exception] | None = None,
        texts: Mapping[str, Any] | None = None,
        operator: bool = False,
        n_promote: int | None = None,
        alpha: str | None = None,
        check: str | None = None,
        variant: str | None = None,
        variants: Mapping[Any, Mapping[str, Any]] | Sequence[tuple[Any, Mapping[str, Any]]] = (),
        bounds: bool = False,
        identity: str | None = None,
        narrow: str | None = None,
    ) -> Op:
        """One row with its out= parameter, and its in-place variant.

        n_in: how many arguments, from the first on, the kernel gets; numbers among them are operands too.
        kernels: providers, best first: names of core's own kernels, ufuncs of one output (their inner loops are called
        directly); (kernel, category): only from that category of dtypes on, (kernel, category, last): up to another.
        reference: callable (xp, *inputs) on arrays of any array namespace; needed unless a ufunc is given. A ufunc of
        NumPy itself stands for the function of that name in any namespace; another ufunc computes NumPy's arrays
        alone, so that on devices its row needs a reference.
        promotion: "same", "float" (integers become the default float), "compare", "logical", "real" (complex gives its
        real type), "float_real", "where" (the first is a mask), "strict" (inputs of one dtype).
        dtypes: those the op takes, after promotion.   refusal: by the name of a dtype or category, a RuntimeError's
        text or an exception.
        operator: Python's operator of that name calls a second op with the same name and work: a formula may give its
        nodes another name.
        n_promote: the number of inputs that decide the dtype.   alpha: the name of the argument that multiplies the
        second input.   check: a word of CHECKS.   variant: the name of an argument some values of which (variants:
        from the value to a mapping of settings) have kernels of their own.   bounds: the second and third may be None.
        identity: "real" where a real input is the result, "always" where every input is.   narrow: what is rounded to
        float16 or bfloat16 before the end, "numbers" among the inputs or the "quotient" of a division to zero.
        """
        kernels = tuple(kernels)
        reference = reference or _reference_of(kernels, f"op table '{self.name}', row {schema!r}")
        settings: dict[str, Any] = {
            "n_promote": n_promote, "alpha": alpha, "check": check, "variant": variant, "variants": variants,
            "bounds": bounds, "identity": identity, "narrow": narrow,
        }  # fmt: skip
        _check_settings(self, n_in, schema, promotion, settings)
        _check_kernels(self, n_in, schema, kernels)
        s.fitting(self, schema, "reference", reference, n_in + 1)
        options = {"promotion": promotion, "refusal": refusal or {}, "dtypes": tuple(dtypes), **(texts or {})}
        no_record = no_record or promotion in NO_RECORD
        if variants:
            options["variants"] = dict(variants)
        op = Op(with_out(schema), "pointwise", doc=doc, reference=reference, options=options, no_record=no_record)
        _pointwise.configure(op, n_in, promotion, kernels, options["dtypes"], reference, **settings)
        changed = None
        if inplace:
            kept = no_record and promotion != "compare"  # what was there is gone, and its history
            changed = self.in_place(op, schema, options=options, no_record=kept, reference=reference)
            _pointwise.configure(changed, n_in, promotion, kernels, options["dtypes"], reference, **settings)
        self.add(op, op.name, method=method)
        if operator:
            twin = Op(
                with_out(schema),
                "pointwise",
                doc=doc,
                reference=reference,
                options={**options, "operator": True},
                no_record=no_record,
            )
            _pointwise.configure(twin, n_in, promotion, kernels, options["dtypes"], reference, **settings)
            twin.owner = self.name
            self.operators[op.name] = twin
        if changed is not None:
            self.add(changed, changed.name, method=method)
        return op

    def pointwise_unary(self, schema: str, **row: Unpack[Pointwise]) -> Op:
        """A row ``name(Tensor self, ...)``: one result element for each element. Settings: see ``pointwise``."""
        return self.pointwise(1, schema, **row)

    def pointwise_binary(self, schema: str, **row: Unpack[Pointwise]) -> Op:
        """A row ``name(Any self, Any other, ...)``, with broadcasting."""
        return self.pointwise(2, schema, **row)

    def pointwise_ternary(self, schema: str, **row: Unpack[Pointwise]) -> Op:
        """A row with three inputs."""
        return self.pointwise(3, schema, **row)


def _check_settings(table: Any, n_in: int, schema: str, promotion: str, settings: dict[str, Any]) -> None:
    """ValueError for settings that do not fit the schema, or each other."""
    params = {param[0]: param for param in parse_schema(schema)[1]}
    for name in ("alpha", "variant"):
        named = settings[name]
        if named is not None and (named not in params or (name == "alpha" and params[named][5])):
            kind = "parameter with a default" if name == "alpha" else "parameter"
            raise s.row_error(
                table, schema, f"the setting '{name}' must name a {kind}, one of {', '.join(params)}; it is '{named}'"
            )
    n_promote = settings["n_promote"]
    if n_promote is not None and not 1 <= n_promote <= n_in:
        raise s.row_error(table, schema, f"n_promote must be from 1 to the number of inputs, {n_in}, it is {n_promote}")
    if (promotion == "where" or settings["bounds"]) and n_in != 3:
        raise s.row_error(
            table, schema, f"promotion='where' and bounds=True are for rows with three inputs, this one has {n_in}"
        )
    if settings["identity"] is not None and next(iter(params.values()))[1] != "Tensor":
        raise s.row_error(table, schema, "identity= is for rows whose first parameter is a Tensor")
    for value, row in dict(settings["variants"]).items():
        _check_variant(table, schema, value, row)


def _check_variant(table: Any, schema: str, value: object, row: Any) -> None:
    """ValueError for a variant that is no mapping of a row's settings."""
    unknown = sorted({*row} - {*VARIANT}) if isinstance(row, Mapping) else ["no mapping"]
    if unknown or not callable(row.get("reference")):
        got = f", not {', '.join(unknown)}" if unknown else ""
        raise s.row_error(
            table, schema, f"the variant {value!r} must have a reference, its settings are {', '.join(VARIANT)}{got}"
        )
    for name, allowed in (("promotion", PROMOTIONS), ("check", CHECKS), ("narrow", NARROW)):
        if row.get(name, allowed[0]) not in allowed:
            raise s.row_error(
                table, schema, f"the variant {value!r}: {name} must be one of {allowed}, it is {row[name]!r}"
            )


def _check_kernels(table: Any, n_in: int, schema: str, kernels: Sequence[Any]) -> None:
    """ValueError for a name that is none of core's kernels, and for a ufunc of another number of inputs."""
    for kernel in kernels:
        ufunc = kernel[0] if isinstance(kernel, tuple) else kernel
        known = not isinstance(ufunc, str) or table.name == "core" or _pointwise.has_kernel(ufunc)
        if not known:  # core's own rows name kernels that few dtypes have, or none so far
            raise s.row_error(table, schema, f"core has no kernel called '{ufunc}'; kernels= takes ufuncs as well")
        if isinstance(ufunc, np.ufunc) and ufunc.nin != n_in:
            raise s.row_error(table, schema, f"the ufunc '{ufunc.__name__}' has {ufunc.nin} inputs, the row {n_in}")


def _reference_of(kernels: Sequence[Any], where: str) -> Reference:
    """The reference of a row whose kernel is a ufunc: that function of the array namespace."""
    for kernel in kernels:
        ufunc = kernel[0] if isinstance(kernel, tuple) else kernel
        name = getattr(ufunc, "__name__", None)
        if name is not None and getattr(np, name, None) is ufunc:
            return lambda xp, *arrays: getattr(xp, name)(*arrays)
        if isinstance(ufunc, np.ufunc):
            return UfuncOfNumPy(ufunc)
    raise ValueError(
        f"{where}: it has neither a ufunc nor a reference: give it reference=, a function of an array namespace and "
        "the inputs, as lambda xp, x: xp.exp(x)"
    )
