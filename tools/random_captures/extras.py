"""Functions with NumPy, sparse tensors, distributions, hooks, custom Functions, checkpoints, objects as containers."""

from __future__ import annotations

import random

from .body import Body
from .program import Program

OUTSIDE = tuple("""
class Twice(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor
    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * ctx.saved_tensors[0] * ctx.factor, None
|class Inplace(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
|class Parts(wg.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x):
        return x.exp(), x.abs()
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[0])
    @staticmethod
    def backward(ctx, grad, _):
        return grad * ctx.saved_tensors[0]
|class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y
""".strip("\n").split("|"))

SNIPPETS = tuple(part.strip("\n") for part in """
{v} = Twice.apply({a}, 0.5)|{v} = Twice.apply({a}, {b}.shape[0] if {b}.dim() else 2)|{v} = Parts.apply({a})[0]
|{v} = Inplace.apply({a} * 1)|{v} = wg.vmap(lambda t: Parts.apply(t)[0])({a})|{v} = Pair({a}, {b} * 2).x + 1
|{v} = wg.utils.checkpoint.checkpoint(lambda t: (t * {w}).sin(), {a}, use_reentrant=False)
|{v} = wg.utils.checkpoint.checkpoint(lambda t: F.dropout(t, 0.5), {a}, use_reentrant=False)
|{v} = wg.utils.checkpoint.checkpoint(lambda t: (t * 2).tanh(), {a}, use_reentrant=True)
|with wg.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
    {v} = ({a} * {b}).sin()
|with wg.autograd.graph.save_on_cpu():
    {v} = {a}.exp() * {b}
|with wg.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), lambda t: wg.from_numpy(t)):
    {v} = {a}.exp() * {b}
|{v} = {a} * 1
if {v}.requires_grad:
    {v}.register_hook(lambda g: g * 0.5)
    {v} = {v}.sin()
|{v} = {a} * 1
if {v}.requires_grad:
    {v}.retain_grad()
    {v}.sum().backward(retain_graph=True)
    {v} = {v}.grad * 1
|h = {l}.register_hook(lambda g: g * 2) if {l}.requires_grad else None
(({l} * {a}.detach()).sum() if {l}.requires_grad else {l} * 0).sum().backward() if {l}.requires_grad else None
h.remove() if h is not None else None
|{v} = wg.from_numpy(np.sin({a}.detach().numpy()))|{v} = {a} + wg.from_numpy(np.arange(3.0))[:1]
|{v} = wg.tensor({a}.detach().numpy().sum())|{v} = np.add({a}.detach(), 1)|{v} = {a} * np.float64(1.5)
|{v} = wg.as_tensor(np.ones(2)) * {a}.sum()|{v} = {a} * wg.tensor([1.0, 2.0])[0]
|{v} = wg.distributions.Normal({a}, 1.0).log_prob({b})|{v} = wg.distributions.Normal({a}, {b}.abs() + 0.1).rsample()
|{v} = wg.distributions.kl_divergence(wg.distributions.Normal({a}, 1.0), wg.distributions.Normal({b}, 2.0))
|{v} = wg.distributions.Categorical(logits={a}).log_prob(wg.tensor(0))
|{v} = wg.distributions.Categorical(logits={a}).sample()
|{v} = wg.distributions.Gamma({a}.abs() + 1, 1.0).rsample()|{v} = wg.distributions.Beta({a}.abs() + 1, 1.0).entropy()
|{v} = wg.distributions.Bernoulli(logits={a}).sample()|{v} = wg.distributions.Uniform({a}, {a} + 1).rsample() * 2
|{v} = wg.distributions.MultivariateNormal({a}, wg.eye({a}.shape[-1], dtype={a}.dtype)).rsample()
|{v} = wg.distributions.Dirichlet({a}.abs() + 0.5).rsample()|{v} = wg.distributions.Poisson({a}.abs()).sample()
|{v} = wg.rand({a}.shape) * 2|{v} = {a} + wg.randn_like({a})|{v} = F.dropout({a}, 0.4)
|{v} = wg.bernoulli({a}.sigmoid())
|{v} = wg.multinomial({a}.detach().abs() + 0.1, 1)|{v} = {a}[wg.randperm({a}.shape[0])]|{v} = wg.normal({a}, 1.0)
|{v} = {a}.detach().clone().uniform_()|{v} = wg.randint(0, 5, (3,))|{v} = F.gumbel_softmax({a})
|{v} = {a}.detach().clone().bernoulli_(0.5)
|{v} = {a}.to_sparse().to_dense() * 2
|{v} = wg.sparse.mm({a}.detach().to_sparse(), {b}.T) if {a}.dim() == 2 else {a} * 1
|{v} = F.embedding(wg.tensor([0, 1, 1]), {w}, sparse=True).sum() if {w}.dim() == 2 else {a} * 1
|{v} = {{"x": {a} * 2, "y": ({b} + 1, {a} * {b})}}["y"][1]|{v} = [t * 2 for t in ({a}, {b})][0]
|{v} = dict(zip("xy", ({a} * 1, {b} * 2)))["x"]|{v} = max([{a}, {b}], key=lambda t: t.shape) * 1
|{v} = wg.nn.functional.scaled_dot_product_attention({a}[None], {a}[None], {b}[None])[0] if {a}.dim() == 2 else {a} * 1
|{v} = copy.deepcopy({a}.detach()) * 2|{v} = copy.copy({a}) * 2|{v} = wg.from_dlpack({a}.detach()) * 1
|{v} = {a}.numpy(force=True).shape[0] * {b}
|with wg.random.fork_rng():
    {v} = {a} + wg.rand(())
|s = wg.get_rng_state()
{v} = {a} + wg.rand(())
wg.set_rng_state(s)
|g = wg.Generator()
g.manual_seed(3)
{v} = {a} + wg.rand((), generator=g)
|with wg.autocast("cpu", dtype=wg.bfloat16):
    {v} = {a} @ {b}.mT if {a}.dim() == 2 else {a} * 2
|with wg.set_grad_enabled(False):
    {w}.mul_(0.5)
    {v} = {a} * {w}.sum()
|{v} = wg.autograd.grad((({a} * {l}) ** 2).sum(), {l}, create_graph=True)[0] if {l}.requires_grad else {a} * 1
|{w}.data = {w}.data * 0.5
{v} = {a} * {w}.sum()
|{w}.grad = None if {w}.grad is None else {w}.grad * 0.5
|{v} = wg.nn.functional.linear({a}, wg.nn.Parameter(wg.ones(2, {a}.shape[-1], dtype={a}.dtype)))
|{v} = wg.compiler.disable(lambda t: t * 2)({a}.detach())
|t = wg.nn.Parameter({a}.detach().clone())
(t * {b}).sum().backward()
{v} = t.grad * 1 if t.grad is not None else t.detach()
|{v} = {a}.float() * 1
with wg.no_grad():
    {v} += {b}.float()
|{v} = wg.stack([{a} * k for k in range(3)])|{v} = wg.fft.fft({a}).abs()|{v} = wg.linalg.svdvals({a})
|{v} = wg.linalg.inv({a} @ {a}.mT + wg.eye({a}.shape[0], dtype={a}.dtype))
|{v} = wg.special.erf({a}) + wg.special.i0({b})|{v} = wg.einsum("...i,...i->...", {a}, {b})
""".split("|"))


def fill(rng: random.Random, program: Program) -> None:
    """Fill a program with snippets and other statements."""
    body = Body(rng, program)
    body.make_tensors(chance=rng.choice((0.0, 0.3, 0.8)), dtypes=("float64", "float64", "float32"))
    if not program.outside:
        program.outside.append("w0 = wg.ones(2, 3, dtype=wg.float64)")
        body.shapes["w0"] = (2, 3)
    tensors = [line.partition(" ")[0] for line in program.outside]
    program.outside += OUTSIDE
    for _ in range(rng.randrange(2, 7)):
        if rng.random() < 0.75:
            made = f"v{body.count + 1}"
            form = rng.choice(SNIPPETS)
            if body.add(body.fill(form, v=made, w=rng.choice(tensors)), wrapped=0.03) and "{v}" in form:
                body.shapes[body.name()] = None
        else:
            body.add_statement()
    body.return_some()
    if len(program.results) > 1 and rng.random() < 0.4:
        names = ", ".join(program.results)
        pair = f"Pair({program.results[0]}, [{names}])"
        program.results = [rng.choice((f"[{names}]", f"({names},)", f"{{'x': ({names})}}", pair))]
