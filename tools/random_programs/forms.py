"""The forms of the statements of random programs. {a}, {b}: tensors of the program, {o}: the statement's own name."""

POINTWISE = tuple("""
{a}.sin()|{a}.exp()|torch.tanh({a})|{a}.abs()|{a} ** 2|{a} ** 1|{a} ** 3.0|2 ** {a}|2 / {a}|{a} / 2|{a} * 2|3 - {a}
{a} - 1|{a} + 1|{a} + 0|{a} * 1|-{a}|+{a}|{a}.neg()|{a}.square()|{a}.sigmoid()|{a}.relu()|{a}.clone()|{a}.detach()
{a}.contiguous()|{a}.clamp(min=0)|{a}.clamp(-1, 1)|{a}.double()|{a}.float()|{a}.to(torch.float64)|{a}.to({b})
{a}.to({b}.dtype)|{a}.type_as({b})|{a}.requires_grad_()|{a}.detach().requires_grad_()|{a}.data
torch.where({a} > 0, {a}, {b})|{a}.masked_fill({a} > 0, 0.5)|{a} + {b}|{a} * {b}|{a} - {b}|{a} / {b}
torch.add({a}, {b}, alpha=2)|torch.sub({a}, {b}, alpha=0.5)|torch.mul({a}, {b})|torch.lerp({a}, {b}, 0.3)
{a}.addcmul({a}, {b}, value=0.5)|torch.maximum({a}, {b})|{a}.cos() * {b}|{a} % 2|{a} // 2|{a} % {b}|{a}.remainder(2)
{a}.fmod({b})|torch.div({a}, {b}, rounding_mode="floor")|torch.div({a}, 2, rounding_mode="trunc")
torch.true_divide({a}, {b})|{a}.floor_divide(2)|{a}.cumsum(-1)|{a}.softmax(-1)|torch.log_softmax({a}, -1)
{a}.sort(-1).values|{a}.sort(stable=True).values|{a}.flip(0)|{a}.roll(1)|{a}.tril()|{a}.conj()|{a}.real
{a}.resolve_conj()|{a}.clone(memory_format=torch.contiguous_format)|torch.clone({a})|{a}.cumprod(0)|{a}.cummax(0)[0]
{a}.to(torch.float64, copy=True)|{a}.alias() if 0 else {a}.view_as({a})|{a}.expand_as({a})|{a}.reshape({a}.shape)
{a}.view({a}.shape)|{a}.type({a}.dtype)|torch.zeros_like({a})|torch.ones_like({a}, requires_grad=True)
torch.empty_like({a}).fill_(2)|torch.full_like({a}, 0.5)|{a}.new_ones({a}.shape)|torch.positive({a})|{a} > 0
{a} == {b}|{a}.isnan()|~({a} > 0)|{a}.round()|{a}.sign()|{a}.logical_not()|torch.nan_to_num({a})|{a}.lt({b})
F.gelu({a})|F.silu({a})|F.softplus({a})|F.dropout({a}, 0.5, training=False)|F.leaky_relu({a})|F.normalize({a}, dim=-1)
F.elu({a})|F.hardtanh({a})
""".replace("\n", "|").strip("|").split("|"))
"""Calls that keep the shape, mostly."""

VIEWS = tuple("""
{a}[0]|{a}[-1:]|{a}[:]|{a}[...]|{a}[0:]|{a}[::2]|{a}[None]|{a}[..., 0]|{a}[..., None]|{a}[:, :]|{a}[:, 1:]|{a}[1:, 0]
{a}[0, ...]|{a}[..., :1]|{a}[()]|{a}.view(-1)|{a}.reshape(-1)|{a}.reshape(3, -1)|{a}.flatten()|{a}.ravel()|{a}.t()
{a}.T|{a}.mT|{a}.transpose(0, -1)|{a}.permute(1, 0)|{a}.movedim(0, -1)|{a}.squeeze()|{a}.squeeze(0)|{a}.unsqueeze(0)
{a}.unsqueeze(-1)|{a}.expand(2, *{a}.shape)|{a}.select(0, 0)|{a}.narrow(0, 0, 1)|{a}.diagonal()|{a}.unbind(0)[0]
{a}.split(1)[0]|{a}.split(1)[-1]|{a}.chunk(2)[0]|{a}.chunk(2, -1)[-1]|{a}.tensor_split(2)[0]|{a}.unfold(0, 1, 1)
{a}.unflatten(0, (1, -1))|{a}.as_strided((2,), (1,))|torch.as_strided({a}, (1, 2), (2, 1), 0)|{a}.swapaxes(0, -1)
{a}.broadcast_to({a}.shape)|torch.broadcast_tensors({a}, {b})[0]|torch.atleast_2d({a})|torch.view_as_real({a})
{a}.view(torch.int64)|{a}.view({a}.dtype)|torch.view_as_complex({a})|{a}.diff()|{a}.diff(dim=0)
torch.meshgrid({a}[0], indexing="ij")[0]|torch.hsplit({a}, 1)[0]|torch.select({a}, -1, 0)|torch.adjoint({a})|{a}.H
{a}.imag|{a}.real|{a}.tensor_split(2)[1]|{a}.split([1, {a}.shape[0] - 1])[1]|{a}.as_strided((2, 2), (1, 1), 0)
copy.copy({a})|copy.deepcopy({a})|pickle.loads(pickle.dumps({a}))|copy.deepcopy(({a}, {b}))[1]
torch.empty(0, dtype={a}.dtype).set_({a})|torch.nn.Parameter({a})
""".replace("\n", "|").strip("|").split("|"))
"""Views, and what may be one."""

REDUCED = tuple("""
{a}.sum()|{a}.mean()|{a}.sum(0)|{a}.sum(-1, keepdim=True)|{a}.max()|{a}.max(0).values|{a}.min(-1)[0]|{a}.amax(0)
{a}.prod()|{a}.prod(0)|{a}.norm()|{a}.std()|{a}.var(0)|{a}.logsumexp(-1)|torch.sum({a}, dim=(0,))|{a}.median()
{a}.median(0)[0]|{a}.argmax()|{a}.nansum()|torch.linalg.norm({a})|torch.linalg.vector_norm({a}, 2, -1)|{a}.norm(dim=0)
{a}.norm(p=1)|{a}.all()|{a}.any(0)|{a}.count_nonzero()|torch.aminmax({a}).max|{a}.trace()|{a} @ {a}.mT|{a}.matmul({b})
{a} @ {b}|{a}.mm({a}.t())|torch.dot({a}.flatten(), {b}.flatten())|F.linear({a}, {b})|F.linear({a}, {a})
torch.outer({a}, {b})|torch.cat([{a}, {b}])|torch.stack([{a}, {b}])|torch.stack([{a}, {a}], -1)
torch.cat([{a}, {a}], -1)|torch.hstack([{a}, {b}])|torch.vstack([{a}, {b}])|torch.einsum("...i,...i->...", {a}, {b})
torch.einsum("ij,jk", {a}, {b}.mT)|torch.tensordot({a}, {b}, 1)|F.mse_loss({a}, {b})|F.cosine_similarity({a}, {b})
{a}.repeat(2)|{a}.tile(2)|{a}.repeat_interleave(2)|{a}.repeat_interleave(2, 0)|F.pad({a}, (1, 1))|{a}.topk(1).values
{a}.kthvalue(1, -1).values|torch.addmm({a}, {a}, {a})|{a}[torch.tensor([0, 0])]|{a}[[0, -1]]|{a}[{a} > 0]
{a}.masked_select({a} > 0)|{a}[torch.tensor(0)]|{a}[..., torch.tensor([0])]|{a}[None, [0]]|{a}.take(torch.tensor([0]))
{a}.index_select(0, torch.tensor([0]))|{a}.gather(-1, torch.zeros_like({a}, dtype=torch.int64))
torch.block_diag({a}, {b})|torch.kron({a}, {b})|{a}.diag()|{a}.nonzero()|F.layer_norm({a}, {a}.shape[-1:])
F.batch_norm({a}, None, None, training=True)|F.softmax({a}, 0)|F.embedding(torch.tensor([0, 1]), {a})
F.l1_loss({a}, {b})|torch.chain_matmul({a}, {a}.t())|torch.linalg.multi_dot([{a}, {a}.t()])
torch.bmm({a}[None], {a}.mT[None])|torch.baddbmm({a}[None], {a}[None], {a}[None])|torch.mv({a}, {b})
""".replace("\n", "|").strip("|").split("|"))
"""Calls that change the shape."""

IN_PLACE = tuple("""
{a}.add_(1)|{a}.mul_(2)|{a}.mul_({b})|{a}.add_({b})|{a}.sub_({b}, alpha=2)|{a}.div_(2)|{a}.zero_()|{a}.fill_(0.5)
{a}.copy_({b})|{a}.sin_()|{a}.relu_()|{a}.neg_()|{a} += {b}|{a} *= 2|{a} -= 1|{a} /= 2|{a} **= 2|{a}[0] = 1
{a}[0] = {b}[0]|{a}[...] = {b}|{a}[:] = 0.5|{a}[..., 0] = 2|{a}[..., :1] += 1|{a}[0] *= 2|{a}[{a} > 0] = 0
{a}[torch.tensor([0])] = 1|{a}[[0]] += 1|{a}[None] = {b}|{a}[-1] = {b}|{a}[{a} > 0] *= 2|{a}.clamp_(min=0)|{a}.pow_(2)
{a}.exp_()|{a}.lerp_({b}, 0.5)|{a}.tril_()|{a}.masked_fill_({a} > 0, 1)|{a}.index_fill_(0, torch.tensor([0]), 2)
{a}.index_add_(0, torch.tensor([0]), {b}[:1])|{a}.index_copy_(0, torch.tensor([0]), {b}[:1])|{a}.t_()
{a}.unsqueeze_(0)|{a}.squeeze_()|{a}.transpose_(0, -1)|{a}.detach_()|{a}.requires_grad_(False)|{a}.requires_grad_()
{a}.addcmul_({b}, {b})|{a}.addcdiv_({b}, {b})|{a}.scatter_(-1, torch.zeros_like({a}, dtype=torch.int64), 1)
{a}.cumsum_(0)|{a}.retain_grad()|{a}.view(-1).mul_(2)|{a}.detach().add_(1)|{a}.data.mul_(2)|{a}.data = {b}
{a}.t().add_(1)|{a}[0].fill_(3)|{a}.diagonal().zero_()|{a}.unbind()[0].mul_(2)|{a}.split(1)[0].add_(1)
{a}.chunk(2)[0].mul_(2)|{a}.select(0, 0).copy_({b})|{a}.set_({b})|{a}.clone().add_(1)
{a}.expand(2, *{a}.shape).add_(1)|{a}.index_put_((torch.tensor([0]),), {b}[:1])|{a}.addmm_({a}, {a})|{a}.sign_()
{a}.logical_not_()|{a}.round_()|torch.add({a}, {b}, out={a})|torch.mul({a}, 2, out={b})|torch.exp({a}, out={b})
torch.sum({a}, 0, out={b})|torch.cat([{a}, {a}], out={b})|torch.matmul({a}, {a}, out={b})|F.relu({a}, inplace=True)
{a}.squeeze_(0)|{a}.swapaxes_(0, -1)|{a}.as_strided_((2,), (1,))|{a}.resize_(2)|{a}.resize_({b}.shape)
{a}.fill_diagonal_(1)|{a}.put_(torch.tensor([0]), {b}[:1])|{a}.data.set_({b})|{a}.set_()|{a}.fill_({b}.sum())
{a}.set_({b}.untyped_storage(), 0, (2,), (1,))|{a}.expand(2, *{a}.shape).fill_({b}.sum())|torch.gt({a}, {b}, out={a})
{a}.as_strided((2,), (1,)).mul_(3)|{a}.transpose(0, -1).copy_({b})|{a}.masked_fill_({a} > 0, {b}.sum())
""".replace("\n", "|").strip("|").split("|"))
"""Writes."""

BACKWARD = tuple("""
{a}.sum().backward()|{a}.backward()|{a}.sum().backward(retain_graph=True)|{a}.sum().backward(create_graph=True)
({a} * {a}).sum().backward(create_graph=True)|{a}.backward(torch.ones_like({a}))|{a}.backward({b})
({a} * {b}).sum().backward()|{a}.abs().sum().backward(create_graph=True)
torch.autograd.backward([{a}.sum(), {b}.sum()])|{a}.grad.zero_()|{a}.grad = None|{a}.grad.add_(1)
{a}.grad = torch.ones_like({a})|{a}.grad.sum().backward()|({a} + {a}).sum().backward(inputs=[{b}])
{a}.mean().backward()|{a}.exp().sum().backward(create_graph=True)|{a}[0].sum().backward()
({a}.t() @ {a}).sum().backward()|{a}.grad.detach_()|({a} ** 3).sum().backward(create_graph=True)
""".replace("\n", "|").strip("|").split("|"))
"""Backward passes, and what is done to .grad."""

GRADIENTS = tuple("""
{a}.grad|{a}.grad * 2|{a}.grad.clone()|{a}.grad.detach()|torch.autograd.grad({a}.sum(), {l})[0]
torch.autograd.grad({a}.sum(), {l}, create_graph=True)[0]
torch.autograd.grad(({a} * {a}).sum(), {l}, create_graph=True)[0]
torch.autograd.grad({a}, {l}, torch.ones_like({a}), retain_graph=True)[0]
torch.autograd.grad({a}.sum(), {l}, allow_unused=True)[0]
torch.autograd.grad({a}.sum(), [{l}, {b}], allow_unused=True, create_graph=True)[0]
torch.autograd.grad({a}.sum(), {l}, materialize_grads=True)[0]
torch.autograd.grad(({a} ** 3).sum(), {a}, create_graph=True)[0]
torch.autograd.grad(({a} ** 2).sum(), {l}, is_grads_batched=True, grad_outputs=torch.ones(2, dtype={a}.dtype))[0]
torch.autograd.grad(torch.autograd.grad(({a} ** 3).sum(), {a}, create_graph=True)[0].sum(), {l}, create_graph=True)[0]
torch.autograd.functional.jacobian(lambda t: t.sin(), {a})
torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), {a})
torch.autograd.functional.vjp(lambda t: t * 2, {a}, {a})[1]
torch.autograd.functional.jvp(lambda t: t * t, {a}, {a})[1]
torch.autograd.functional.hvp(lambda t: (t ** 3).sum(), {a}, {a})[1]
""".replace("\n", "|").strip("|").split("|"))
"""Gradients as values. {l}: a leaf."""

INNER = tuple("""
t.sin()|t * t|t * 2|t.sum()|t.exp()|(t ** 2).sum()|t.sin().sum()|t[0]|t.reshape(-1)|t.view(-1)|t.T|t + {b}|t @ t.mT
t.softmax(-1)|t.clone().mul_(2)|t.mean()|t.cumsum(0)|t.max()|t.sort(-1).values|t.abs().sum()|torch.cat([t, t])|t[None]
t.expand(2, *t.shape)|t.clone()|t.detach()|t|{b}|t.diff()|t.unbind(0)[0]|t.transpose(0, -1)|F.linear(t, t)|t.sum(0)
t.prod()|t.norm()|t.flip(0)|t.contiguous()|t.to(torch.float64)|t.matmul({b})|t.item()|t.add_(1)|t.squeeze()
t.unsqueeze(-1)|(t > 0)|t.masked_fill(t > 0, 0)|t.numpy()|t[t > 0]|bool(t.sum() > 0)|t.nonzero()|t.tolist()|t.data
t.relu()|t / {b}|t.var()|t.index_select(0, torch.tensor([0]))|t.tril()|t.movedim(0, -1)|t.logsumexp(-1)|t.std()
t[..., 0]
""".replace("\n", "|").strip("|").split("|"))
"""Bodies of functions of t, for transforms and forward mode."""

TRANSFORMS = tuple("""
torch.func.grad(lambda t: {f})({a})|torch.func.grad(lambda t: ({f}).sum())({a})
torch.func.grad_and_value(lambda t: ({f}).sum())({a})|torch.vmap(lambda t: {f})({a})
torch.vmap(lambda t: {f}, in_dims=-1)({a})|torch.vmap(lambda t: {f}, out_dims=-1)({a})
torch.func.jvp(lambda t: {f}, ({a},), ({a},))|torch.func.vjp(lambda t: {f}, {a})[0]
torch.func.vjp(lambda t: {f}, {a})[1]({a})|torch.func.jacrev(lambda t: {f})({a})|torch.func.jacfwd(lambda t: {f})({a})
torch.func.hessian(lambda t: ({f}).sum())({a})|torch.vmap(torch.func.grad(lambda t: ({f}).sum()))({a})
torch.func.grad(lambda t: torch.vmap(lambda t: {f})(t).sum())({a})|torch.vmap(torch.vmap(lambda t: {f}))({a})
torch.func.grad(lambda t: torch.func.grad(lambda t: ({f}).sum())(t).sum())({a})
torch.func.linearize(lambda t: {f}, {a})[0]|torch.func.functionalize(lambda t: {f})({a})
torch.vmap(lambda t, u: t * u, in_dims=(0, None))({a}, {b})|torch.vmap(lambda t, u: t + u)({a}, {b})
torch.vmap(lambda t: {f}, in_dims=5)({a})|torch.func.jvp(lambda t: {f}, ({a},), ({b},))
torch.vmap(lambda t: {f}, chunk_size=1)({a})|torch.func.jacrev(lambda t: {f}, argnums=1)({a})
torch.vmap(lambda t: {f}, randomness="error")({a})
""".replace("\n", "|").strip("|").split("|"))
"""Transforms of these functions."""

FORWARD = """with fwAD.dual_level():
    {d} = fwAD.make_dual({a}, {t})
    {o} = (lambda t: {f})({d})
    {p} = fwAD.unpack_dual({o})
    {p}_primal, {p}_tangent = {p}"""
"""Forward mode: the dual of {a} through a function."""

MODES = (
    "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.inference_mode()",
    "torch.set_grad_enabled(False)",
)

WRONG = ("None", "'a'", "1.5", "-7", "[]", "torch.ones(5)", "torch.ones(2, 2, 2)", "(1, 2)", "torch.float32",
         "2 ** 70", "True")
"""Arguments that are refused, mostly."""
