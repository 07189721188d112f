"""Random numbers: factories, samples by tensors of parameters, and ops that fill a tensor."""

from wengert_core.ops.create import random_functions as make
from wengert_core.optable.core_table import TABLE
from wengert_core.rng import pcg64, samplers

factory, random = TABLE.factory, TABLE.random
SAMPLED = "object? generator=None, Tensor? out=None, OPTIONS"
LIKE = "object? generator=None, OPTIONS, object? memory_format=None"

factory(f"rand(int[]* size, *, {SAMPLED}) -> Tensor", impl=make.rand)
factory(f"randn(int[]* size, *, {SAMPLED}) -> Tensor", impl=make.randn)
factory(f"randint(object? low=None, object? high=None, object? size=None, *, {SAMPLED}) -> Tensor", impl=make.randint)
factory(f"randperm(int n, *, {SAMPLED}) -> Tensor", impl=make.randperm)
factory(f"rand_like(Tensor self, *, {LIKE}) -> Tensor", impl=make.rand_like, like="self")
factory(f"randn_like(Tensor self, *, {LIKE}) -> Tensor", impl=make.randn_like, like="self")
factory(f"randint_like(Tensor self, object? low=None, object? high=None, *, {LIKE}) -> Tensor",
        impl=make.randint_like, like="self")

TABLE.array("bernoulli(Tensor self, float? p=None, *, object? generator=None, Tensor? out=None) -> Tensor",
        reference=make.bernoulli)
TABLE.array("multinomial(Tensor self, int num_samples, bool replacement=False, *, object? generator=None, Tensor? "
            "out=None) -> Tensor",
            reference=make.multinomial, results=("int64",), no_record=True)
TABLE.composite(make.normal)
TABLE.array("_normal(Tensor mean, Any std, *, object? generator=None, Tensor? out=None) -> Tensor",
            reference=make.normal_of_tensors, method=False, doc="Draw normal numbers around means, for normal().")
TABLE.array("_normal_of_std(Tensor std, Any mean, *, object? generator=None, Tensor? out=None) -> Tensor",
            reference=make.normal_of_std, method=False, doc="Draw normal numbers around one mean, for normal().")
TABLE.array("poisson(Tensor self, *, object? generator=None) -> Tensor", reference=make.poisson, method=False)
TABLE.array("binomial(Tensor count, Tensor prob, *, object? generator=None) -> Tensor", reference=make.binomial,
            method=False)

random("uniform_(Tensor self, float from=0, float to=1, *, object? generator=None) -> Tensor", sampler=samplers.uniform,
       fill=pcg64.unit)
random("normal_(Tensor self, float mean=0, float std=1, *, object? generator=None) -> Tensor", sampler=samplers.normal,
       fill=pcg64.normal)
random("exponential_(Tensor self, float lambd=1, *, object? generator=None) -> Tensor", sampler=samplers.exponential)
random("cauchy_(Tensor self, float median=0, float sigma=1, *, object? generator=None) -> Tensor",
        sampler=samplers.cauchy)
random("log_normal_(Tensor self, float mean=1, float std=2, *, object? generator=None) -> Tensor",
        sampler=samplers.log_normal)
random("geometric_(Tensor self, float p, *, object? generator=None) -> Tensor", sampler=samplers.geometric)
random("bernoulli_(Tensor self, Any p=0.5, *, object? generator=None) -> Tensor", sampler=samplers.bernoulli,
       fill=pcg64.choose)
random("random_(Tensor self, object? from='unset', object? to='unset', *, object? generator=None) -> Tensor",
        sampler=samplers.integers)
