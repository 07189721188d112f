"""Random numbers: factories, samples by tensors of parameters, and ops that fill a tensor."""

from wengert_core.ops.create import random_functions as make
from wengert_core.optable.core_table import TABLE
from wengert_core.rng import pcg64, samplers

factory, random = TABLE.factory, TABLE.random
SAMPLED = "object? generator=None, Tensor? out=None, OPTIONS"
LIKE = "object? generator=None, OPTIONS, object? memory_format=None"

factory(f"rand(int[]* size, *, {SAMPLED}) -> Tensor", impl=make.rand, doc="Numbers distributed uniformly in [0, 1).")
factory(f"randn(int[]* size, *, {SAMPLED}) -> Tensor", impl=make.randn,
        doc="Normal numbers with mean 0 and variance 1.")
factory(f"randint(object? low=None, object? high=None, object? size=None, *, {SAMPLED}) -> Tensor", impl=make.randint,
        doc="Whole numbers from low to high - 1; randint(high, size) starts at 0.")
factory(f"randperm(int n, *, {SAMPLED}) -> Tensor", impl=make.randperm,
        doc="The numbers from 0 to n - 1 in random order.")
factory(f"rand_like(Tensor self, *, {LIKE}) -> Tensor", impl=make.rand_like, like="self",
        doc="As rand, with the shape, dtype and order in memory of another tensor.")
factory(f"randn_like(Tensor self, *, {LIKE}) -> Tensor", impl=make.randn_like, like="self",
        doc="As randn, with the shape, dtype and order in memory of another tensor.")
factory(f"randint_like(Tensor self, object? low=None, object? high=None, *, {LIKE}) -> Tensor",
        impl=make.randint_like, like="self",
        doc="As randint, with the shape, dtype and order in memory of another tensor.")

TABLE.array("bernoulli(Tensor self, float? p=None, *, object? generator=None, Tensor? out=None) -> Tensor",
        reference=make.bernoulli,
            doc="1 with the probability that an element gives (or with probability p), else 0.")
TABLE.array("multinomial(Tensor self, int num_samples, bool replacement=False, *, object? generator=None, Tensor? "
            "out=None) -> Tensor",
            reference=make.multinomial, results=("int64",), no_record=True,
        doc="Places drawn with the probabilities that a row's weights give.")
TABLE.composite(make.normal)
TABLE.array("poisson(Tensor self, *, object? generator=None) -> Tensor", reference=make.poisson, method=False,
            doc="Numbers of events, whose mean each element gives.")
TABLE.array("binomial(Tensor count, Tensor prob, *, object? generator=None) -> Tensor", reference=make.binomial,
            method=False, doc="Numbers of successes in count trials that succeed with the probability prob.")

random("uniform_(Tensor self, float from=0, float to=1, *, object? generator=None) -> Tensor", sampler=samplers.uniform,
       fill=pcg64.unit, doc="Fills with numbers distributed uniformly in [from, to).")
random("normal_(Tensor self, float mean=0, float std=1, *, object? generator=None) -> Tensor", sampler=samplers.normal,
       fill=pcg64.normal, doc="Fills with normal numbers.")
random("exponential_(Tensor self, float lambd=1, *, object? generator=None) -> Tensor", sampler=samplers.exponential,
       doc="Fills with exponential numbers of rate lambd.")
random("cauchy_(Tensor self, float median=0, float sigma=1, *, object? generator=None) -> Tensor",
        sampler=samplers.cauchy,
       doc="Fills with Cauchy numbers.")
random("log_normal_(Tensor self, float mean=1, float std=2, *, object? generator=None) -> Tensor",
        sampler=samplers.log_normal,
       doc="Fills with numbers whose logarithms are normal.")
random("geometric_(Tensor self, float p, *, object? generator=None) -> Tensor", sampler=samplers.geometric,
       doc="Fills with the numbers of trials up to the first success.")
random("bernoulli_(Tensor self, Any p=0.5, *, object? generator=None) -> Tensor", sampler=samplers.bernoulli,
       doc="Fills with 1 with probability p, else 0.")
random("random_(Tensor self, object? from='unset', object? to='unset', *, object? generator=None) -> Tensor",
        sampler=samplers.integers,
       doc="Fills with whole numbers from from to to - 1, one bound alone is to; to=None: up to the largest one that "
           "the dtype holds without gaps; without bounds, from 0 up to that one.")
