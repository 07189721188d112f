"""Functions with vmap, grad, jvp, jacobians and forward mode in them, also one in the other."""

from __future__ import annotations

import random

from tools.random_programs import forms

from .body import Body
from .program import Program

NESTED = tuple("""
torch.func.grad(lambda u: torch.vmap(lambda t: ({f}).sum())(u).sum())({a})
torch.vmap(torch.func.jacrev(lambda t: {f}))({a})|torch.vmap(torch.func.jacfwd(lambda t: {f}))({a})
torch.func.jvp(torch.func.grad(lambda t: ({f}).sum()), ({a},), ({b},))[1]
torch.func.vjp(torch.func.grad(lambda t: ({f}).sum()), {a})[1]({a})
torch.func.jacfwd(torch.func.jacrev(lambda t: ({f}).sum()))({a})|torch.func.hessian(lambda t: ({f} * {b}).sum())({a})
torch.vmap(lambda t: {f} * {b}.sum())({a})
torch.vmap(lambda t, u: t * u.sum() + {l}.sum(), in_dims=(0, None))({a}, {b})
torch.func.grad(lambda t: ({f} * {l}.sum()).sum())({a})|torch.func.grad(lambda t: (t * {l}).sum(), argnums=0)({a})
torch.vmap(lambda t: t + torch.rand(2, dtype=torch.float64).sum(), randomness="different")({a})
torch.vmap(lambda t: t + torch.rand(2, dtype=torch.float64).sum(), randomness="same")({a})
torch.vmap(lambda t: F.dropout(t, 0.5), randomness="different")({a})
torch.vmap(lambda t: torch.func.cond(t.sum() > 0, lambda t: t * 2, lambda t: t - 1, t))({a})
torch.func.linearize(lambda t: {f}, {a})[1]({b})
torch.func.jvp(lambda t: torch.vmap(lambda t: {f})(t), ({a},), ({b},))[1]
torch.func.vjp(lambda t: torch.vmap(lambda t: {f})(t), {a})[0]
torch.func.jacrev(torch.func.jacrev(lambda t: {f}))({a})
torch.autograd.functional.jacobian(lambda t: {f}, {a}, create_graph=True)
torch.autograd.functional.hessian(lambda t: ({f}).sum(), {a}, vectorize=True)
torch.autograd.functional.vhp(lambda t: (({f}) ** 2).sum(), {a}, {b})[1]
torch.vmap(lambda t: torch.vmap(lambda t: {f}, out_dims=0)(t))({a})
torch.vmap(lambda t: t.clone().mul_({b}.sum()))({a})|torch.func.functionalize(lambda t: t.clone().add_({b}))({a})
torch.vmap(lambda t: {l} * t.sum())({a})
torch.func.grad(lambda t: torch.func.jvp(lambda t: {f}, (t,), (t,))[1].sum())({a})
torch.func.jacfwd(lambda t: {f})({a}).sum()|torch.func.jacfwd(lambda t: {f} * {l}.sum())({a})
torch.func.scan(lambda c, x: (c + x, c * x), {a}[0], {a})[1] * 1
torch.func.grad(lambda t: torch.func.scan(lambda c, x: (c * x, c), t[0], t)[0].sum())({a})
""".replace("\n", "|").strip("|").split("|"))
"""Transforms of transforms. {f}: a function's body, of t."""


def fill(rng: random.Random, program: Program) -> None:
    """Fill a program with transforms and what is around them."""
    body = Body(rng, program)
    body.make_tensors(chance=rng.choice((0.0, 0.3, 0.8)), dtypes=("float64", "float64", "float32"))
    for _ in range(rng.randrange(2, 7)):
        choice, inner = rng.random(), rng.choice(forms.INNER).format(b=body.pick())
        if choice < 0.4:
            text = body.fill(rng.choice(NESTED), f=inner)
            if body.add(f"v{body.count + 1} = first({text})"):
                body.shapes[body.name()] = None
        elif choice < 0.65:
            text = body.fill(rng.choice(forms.TRANSFORMS), f=inner)
            if body.add(f"v{body.count + 1} = first({text})"):
                body.shapes[body.name()] = None
        elif choice < 0.8:
            body.add_forward(inner)
        else:
            body.add_statement()
    body.return_some()
