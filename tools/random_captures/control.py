"""Functions that let Python read numbers, and loops and choices of ``wg.func``."""

from __future__ import annotations

import random

from .body import Body
from .program import Program

GUARDS = tuple("""
if {a}.sum() > 0:~    {v} = {a} * 2~else:~    {v} = {b} - 1|{v} = {a} * {b}.sum().round().clamp(-2, 2).item()
{v} = {a} * int({b}.abs().max().clamp(max=2))|{v} = {a} + len({a}.nonzero())|{v} = {a}[{a} > 0].sum() + {a}
{v} = {a}[{a} > 0]|{v} = {a} + ({a} > 0).tolist().count(True)|{v} = {a}~while {v}.abs().sum() > 1:~    {v} = {v} * 0.5
{v} = {a} * 1~for k in range(int({b}.sum().clamp(0, 3))):~    {v} = {v} + k
{v} = {a} * 1~while bool({v}.abs().max() > 0.5):~    {v}.mul_(0.5)
{v} = {a} if {a}.flatten()[0] > {b}.flatten()[0] else {b}
{v} = torch.stack([{a}, {a}]) if ({a} > 0).any() else torch.stack([{b}, {b}])|{v} = {a}.flatten()[int({a}.argmax()):]
try:~    if {a}.sum() < 0:~        raise ValueError("negative")~    {v} = {a} * 3~except ValueError:~    {v} = {a} * 4
if {a}.sum() < -1:~    raise ValueError(f"the sum of {{tuple({a}.shape)}} is too small")
{v} = {a} * 1~{v}[{v} > 0] = 0.5
{v} = torch.full(({a}.flatten()[0] > 0, 2), 1.5) if 0 else {a} * float({a}.flatten()[0] > 0)
with torch.no_grad():~    {w}.add_(1 if {a}.mean() > 0 else -1)|if {a}.mean() > 0:~    {w}.data.mul_(0.5)
if bool(({a} > 0).all()):~    {w} = {w} * 1|{v} = {a} + (1 if {w}.grad is None else 2)
{v} = {a}.clone() if {w}.sum() > 0 else {a}|assert {a}.isfinite().all()|{v} = sum({a}.flatten().tolist()) * {b}
{v} = {a} * {a}.shape[0]|{v} = {a} * bool({w}.sum() > 0)
""".replace("\n", "|").replace("~", "\n").strip("|").split("|"))
"""Statements in which Python reads numbers. {v}: a new name, {w}: a tensor from outside."""

LOOPS = tuple("""
torch.func.scan(lambda c, x: ({f}, {g}), {a}, {rows})
torch.func.scan(lambda c, x: ({f}, {g}), {a}, {rows}, reverse=True)
torch.func.scan(lambda c, x: ({f}, None), {a}, {rows})[0]|torch.func.scan(lambda c, x: ({f}, c), {a}, None, 3)
torch.func.fori_loop(0, 3, lambda i, c: {h}, {a})
torch.func.fori_loop(0, ({b}.sum() > 0) * 2 + 1, lambda i, c: {h}, {a})
torch.func.fori_loop(1, 4, lambda i, c: c + {rows}[i - 1], {a})
torch.func.fori_loop(0, 2, lambda i, c: c + {rows}[i:i + 2].sum(0), {a})
torch.func.while_loop(lambda c: c.abs().sum() > 1, lambda c: c * 0.5 + {w} * 0.01, {a})
torch.func.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, {k}), (torch.tensor(0), {a}))[1]
torch.func.while_loop(lambda c: (c[0] < 4) & (c[1].norm() < 50), lambda c: (c[0] + 1, {k}), (torch.tensor(0), {a}))[1]
torch.func.cond({a}.sum() > 0, lambda c: {h0}, lambda c: {k0}, {a})
torch.func.cond({b}.sum() > {a}.sum(), lambda c, x: {f}, lambda c, x: {f2}, {a}, {b})
torch.func.scan(lambda c, x: (torch.func.cond(c.sum() > 0, lambda c: {h0}, lambda c: c - 1, c), c.sum()), {a}, {rows})
torch.func.scan(lambda c, x: (torch.func.fori_loop(0, 2, lambda i, c: c * 0.5 + i, c), x), {a}, {rows})
torch.func.scan(lambda c, x: ((c[1], {p}), c[0]), ({a}, {b}), {rows})
torch.func.fori_loop(0, 3, lambda i, c: (c[1], c[0] * 0.5 + i), ({a}, {b}))
torch.func.scan(lambda c, x: ({f}, {g}), {a}, {rows}, dim=-1)|torch.func.fori_loop(0, 0, lambda i, c: {h}, {a})
torch.func.scan(lambda c, x: ({f}, {{"y": {g}, "z": x}}), {a}, {rows})[1]
torch.func.scan(lambda c, x: ({f} + torch.rand(()), {g}), {a}, {rows})
torch.func.cond({a}.sum() > 0, lambda: {a} * 2, lambda: {b} * 3)
""".replace("\n", "|").strip("|").split("|"))
"""Loops. {f}, {g}: of the carry c and the row x; {h}: of i and c; {k}: of a pair c; {rows}: rows like the carry."""

OF_ROW = ("c + x", "c * x", "(c + x).sin()", "c * 0.5 + x * {w}", "c - x.sum()", "x * {w}", "c.sin() * x", "x", "c",
          "(c * x).softmax(-1)", "torch.where(x > 0, c, x)", "c.clone().mul_(0.5) + x", "c.relu() + {w}",
          "c.detach() + x",
          "c + x.cumsum(-1)", "c @ c.mT @ x if c.dim() == 2 else c * x.norm()", "c.flip(0) + x")  # fmt: skip
OF_NUMBER = ("c + i", "c * 0.5 + i", "c * {w}", "(c * i).cos()", "c", "c + {w} * i", "c - c.mean() * i", "c.roll(1, 0)")
OF_PAIR = ("c[1] * 0.5", "c[1] + c[0]", "c[1] * {w}", "(c[1] - c[0]).sin()", "c[1]", "c[1].flip(0) * 1.5")


def fill(rng: random.Random, program: Program) -> None:
    """Fill a program with guards and loops over tensors of one shape."""
    body = Body(rng, program)
    shape, dtype = rng.choice(((3,), (2, 3), (), (1,), (3, 2), (2, 2))), rng.choice(("float64", "float64", "float32"))
    chance = rng.choice((0.0, 0.3, 0.8))
    for _ in range(4):
        body.leaf(random_numbers(rng, shape, dtype), shape, dtype, chance)
    if not program.arguments:
        program.arguments, program.inputs = ["a0"], [f"a0 = {random_numbers(rng, shape, dtype).replace('torch', 'wg')}"]
        body.shapes["a0"] = shape
    if not program.outside:
        program.outside = [f"w0 = {random_numbers(rng, shape, dtype).replace('torch', 'wg')}"]
        body.shapes["w0"] = shape
    rows = (3, *shape)
    program.outside.append(f"w9 = {random_numbers(rng, rows, dtype).replace('torch', 'wg')}")
    loops = rng.random()
    for _ in range(rng.randrange(2, 6)):
        add_control(rng, body, loops)
    body.return_some()


def random_numbers(rng: random.Random, shape: tuple[int, ...], dtype: str) -> str:
    """Return the text of a contiguous tensor."""
    from tools.random_programs.literals import literal, nested_numbers

    return literal(nested_numbers(rng, shape, dtype), shape, dtype)


def add_control(rng: random.Random, body: Body, loops: float) -> None:
    """Add a loop, a guard, or another statement."""
    outside = [line.partition(" ")[0] for line in body.program.outside if line.startswith("w") and "w9" not in line[:2]]
    w = rng.choice(outside)
    if rng.random() < loops:
        form, rows = rng.choice(LOOPS), "w9"
        if rng.random() < 0.3:
            rows = f"torch.stack([{body.pick()}] * 3)"
        words = {"f": rng.choice(OF_ROW), "f2": rng.choice(OF_ROW), "g": rng.choice(OF_ROW), "h": rng.choice(OF_NUMBER),
                 "h0": rng.choice(OF_ROW).replace("x", "c"), "k": rng.choice(OF_PAIR), "p": rng.choice(OF_PAIR),
                 "k0": rng.choice(OF_ROW).replace("x", "c")}  # fmt: skip
        words = {name: text.format(w=w) for name, text in words.items()}
        text = body.fill(form, rows=rows, w=w, **words)
        made = f"v{body.count + 1}"
        if body.add(f"{made} = first({text}) * 1"):
            body.shapes[body.name()] = next((body.shapes[name] for name in ("a0", "w0") if name in body.shapes), None)
    elif rng.random() < 0.7:
        made = f"v{body.count + 1}"
        form = rng.choice(GUARDS)
        if body.add(body.fill(form, v=made, w=w)) and "{v}" in form:
            body.shapes[body.name()] = None
    else:
        body.add_statement()
