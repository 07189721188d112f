"""Random functions of one or two tensors, and transforms of them, as text: transforms.py asks PyTorch about them."""

from __future__ import annotations

import random

SHAPES = ((2, 3), (3, 3), (2, 2), (3,), (2, 3, 2), (2, 1), (1, 3))
INDEX = "torch.zeros({a}.shape, dtype=torch.int64)"
GRAM = "({a} @ {a}.mT + 2 * torch.eye({a}.shape[0], dtype=torch.float64))"


def expressions(text: str) -> list[str]:
    """Those in a text, between bars."""
    return [" ".join(part.split()).replace("INDEX", INDEX).replace("GRAM", GRAM) for part in text.split("|")]


UNARY = expressions("""
    {a}.sin() | {a} * 2 | {a}.exp() | {a} * {a} | {a}.sum() | {a}.sum(0) | {a}.mean(-1) | {a}.tanh() | {a}.abs() |
    -{a} | {a}.cumsum(0) | {a}.flip(0) | {a}.roll(1, 0) | {a}.sigmoid() | {a}.pow(3) | {a}.prod(0) |
    torch.cat([{a}, {a}]) | torch.stack([{a}, {a}]) | {a}.cumprod(-1) | {a}.norm() | {a}.softmax(-1) |
    {a}.logsumexp(0) | {a}.max() | {a}.sort(-1)[0] | {a}.clamp(0.4, 0.9) | {a}.amax(-1) | {a}.var(0) | {a}.std() |
    {a}.log1p() | Square.apply({a}) | Sine.apply({a}) | {a}.max(0)[0] | {a}.topk(1)[0] | {a}.gather(0, INDEX) |
    {a}.index_select(0, torch.tensor([0, 0])) | torch.where({a} > 0.5, {a}, 0.) | {a}.masked_fill({a} > 0.6, 0.1) |
    {a}.median() | {a}.diff() | torch.nn.functional.gelu({a}) | torch.nn.functional.log_softmax({a}, 0) |
    torch.nn.functional.layer_norm({a}, ({a}.shape[-1],)) | torch.linalg.vector_norm({a}, dim=0) | {a}.erf() |
    {a}.lgamma() | {a}.cummax(0)[0] | {a}.nan_to_num() | {a}.repeat_interleave(2) | {a}.unfold(0, 2, 1) |
    torch.nn.functional.pad({a}, (1, 1)) | {a}.scatter_add(0, INDEX, {a}) | {a}.scatter(0, INDEX, 0.3) |
    {a}.index_add(0, torch.tensor([0]), {a}[:1]) | {a}.logcumsumexp(0) | {a}.square().mean().sqrt() | {a}.relu() |
    torch.nn.functional.silu({a}) | {a}.to(torch.complex128).abs() | torch.fft.fft({a}).abs() | {a}.kron({a}) |
    torch.outer({a}.reshape(-1), {a}.reshape(-1)) | {a}.detach() * {a} | torch.linalg.det(GRAM) |
    torch.linalg.inv(GRAM) | torch.linalg.eigvalsh({a} @ {a}.mT) | torch.einsum('ij,kj->ik', {a}, {a})
""")
VIEWS = expressions("""
    {a}[0] | {a}[..., 1:] | {a}[1:] | {a}[..., ::2] | {a}.t() | {a}.transpose(0, -1) | {a}.reshape(-1) |
    {a}.unsqueeze(0) | {a}.squeeze() | {a}.diagonal() | {a}.expand(2, *{a}.shape) | {a}.narrow(0, 0, 1) |
    {a}.select(-1, 0) | {a}.movedim(0, -1) | {a}.flatten() | {a}.split(1)[0] | {a}.unbind(0)[-1] |
    {a}.chunk(2, -1)[0] | {a}.mT | {a}[None] | {a}.clone() | {a}[[0, 0]] | {a}.swapaxes(0, -1) | {a}.rot90() |
    {a}.view_as({a}) | {a}.as_strided((2,), (1,)) | {a}.tile(2) | torch.atleast_2d({a})
""")
BINARY = expressions("""
    {a} + {b} | {a} * {b} | {a} - {b} | {a} / ({b} + 2) | torch.where({a} > 0.6, {a}, {b}) | {a}.lerp({b}, 0.3) |
    torch.maximum({a}, {b}) | {a} @ {b} | torch.addcmul({a}, {b}, {b}) | torch.atan2({a}, {b}) |
    torch.hypot({a}, {b}) | {a}.pow({b}) | torch.nn.functional.mse_loss({a}, {b}) |
    torch.nn.functional.linear({a}, {b}) | torch.cat([{a}, {b}]) | torch.stack([{a}, {b}]) | torch.dist({a}, {b}) |
    torch.matmul({a}, {b}.mT) | torch.logaddexp({a}, {b}) | torch.tensordot({a}, {b}, 1) | Times.apply({a}, {b})
""")
WRITES = expressions("""
    add_(1) | mul_({b}) | copy_({b}) | sin_() | exp_() | [0].mul_(2) | .t().exp_() | .diagonal().add_({b}.mean()) |
    zero_() | masked_fill_({b} > 0.5, 0.2) | sigmoid_() | [0].exp_() | pow_(2) | [0] = {b}.sum() | [..., 0] = 0.5 |
    .view(-1)[0] = {b}.max() | index_put_((torch.tensor([0]),), {b}.sum()) | div_({b} + 2) | [1:] = {b}[:-1]
""")
TRANSFORMS = expressions("""
    f(*xs) | torch.vmap(f, in_dims={d})(*xs) | torch.func.grad(s, argnums={n})(*xs) |
    torch.func.jacrev(f, argnums={n})(*xs) | torch.func.jacfwd(f, argnums={n})(*xs) |
    torch.func.hessian(s, argnums={n})(*xs) | torch.func.jvp(f, xs, vs) |
    torch.func.vjp(s, *xs)[1](torch.tensor(1.5)) | torch.vmap(torch.func.grad(s), in_dims={d})(*xs) |
    torch.vmap(torch.func.jacfwd(f), in_dims={d})(*xs) |
    torch.func.grad(lambda *args: torch.vmap(f, in_dims={d})(*args).sum())(*xs) |
    torch.func.jvp(torch.func.grad(s), xs, vs) |
    torch.func.jacrev(torch.func.jacfwd(f, argnums={n}), argnums={n})(*xs) |
    torch.func.jacfwd(torch.func.jacrev(f, argnums={n}), argnums={n})(*xs) |
    torch.autograd.functional.jacobian(f, xs) | torch.autograd.functional.jacobian(f, xs, vectorize=True) |
    torch.autograd.functional.jacobian(f, xs, vectorize=True, strategy='forward-mode') |
    torch.autograd.functional.hessian(s, xs) | torch.autograd.functional.hessian(s, xs, vectorize=True) |
    torch.autograd.functional.hessian(s, xs, vectorize=True, outer_jacobian_strategy='forward-mode') |
    torch.autograd.functional.hvp(s, xs, vs) | torch.autograd.functional.vhp(s, xs, vs) |
    torch.autograd.functional.jvp(f, xs, vs) | forward(f, xs) | forward_over_reverse(s, xs) |
    reverse_over_forward(f, xs) |
    torch.autograd.grad(f(*leaves), leaves, torch.stack([torch.ones_like(f(*leaves))] * 2), is_grads_batched=True,
    allow_unused=True)
""")


def write_lines(rng: random.Random, target: str, source: str) -> list[str]:
    """Lines that write to a copy, or to a tensor made of nothing."""
    write = rng.choice(WRITES).format(b=source)
    start = rng.choice((f"{target} = {target}.clone()", f"{target} = {target}.clone()", f"{target} = {target} * 1",
                        f"{target} = torch.zeros_like({target})",
                        f"{target} = torch.ones({target}.shape, dtype=torch.float64)"))
    return [start, f"{target}{write}" if write[0] in "[." else f"{target}.{write}"]


def random_function(rng: random.Random) -> tuple[tuple[int, ...], str]:
    """The shape of its arguments, and its text."""
    names = ["x", "y"][:rng.randrange(1, 3)]
    lines, arguments = [], ", ".join(names)
    for number in range(rng.randrange(1, 6)):
        a, b, kind = rng.choice(names), rng.choice(names), rng.random()
        if kind < 0.25:
            lines += write_lines(rng, a, b)
            continue
        forms = UNARY if kind < 0.6 else VIEWS if kind < 0.8 else BINARY
        lines.append(f"t{number} = " + rng.choice(forms).format(a=a, b=b))
        names.append(f"t{number}")
    body = "".join(f"    {line}\n" for line in [*lines, f"return {names[-1]}"])
    return rng.choice(SHAPES), f"def f({arguments}):\n{body}"


def random_transform(rng: random.Random, source: str) -> str:
    arguments = source.split(")")[0].count(",") + 1
    dims = tuple(rng.choice((0, 0, -1, None)) for _ in range(arguments - 1))
    return rng.choice(TRANSFORMS).format(d=(0, *dims), n=rng.randrange(arguments))
