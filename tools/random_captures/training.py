"""Functions that train: modules, losses, optimizers, schedulers, clipping, averages of parameters."""

from __future__ import annotations

import random

from .program import Program

LAYERS = tuple("""
wg.nn.Linear(4, 4)|wg.nn.Linear(4, 4)|wg.nn.Linear(4, 4, bias=False)|wg.nn.Tanh()|wg.nn.ReLU()|wg.nn.GELU()
wg.nn.SiLU()|wg.nn.BatchNorm1d(4)|wg.nn.BatchNorm1d(4, momentum=None)|wg.nn.LayerNorm(4)|wg.nn.RMSNorm(4)
wg.nn.GroupNorm(2, 4)|wg.nn.Dropout(0.4)|wg.nn.ReLU(inplace=True)|wg.nn.PReLU()|wg.nn.Softmax(-1)
wg.nn.Unflatten(1, (1, 4))|wg.nn.Flatten()|wg.nn.utils.parametrizations.weight_norm(wg.nn.Linear(4, 4))
wg.nn.utils.parametrizations.spectral_norm(wg.nn.Linear(4, 4))
wg.nn.Sequential(wg.nn.Unflatten(1, (2, 2)), wg.nn.TransformerEncoderLayer(2, 1, 3, batch_first=True), wg.nn.Flatten())
wg.nn.utils.weight_norm(wg.nn.Linear(4, 4))|wg.nn.utils.spectral_norm(wg.nn.Linear(4, 4))|wg.nn.LeakyReLU(0.1)
wg.nn.InstanceNorm1d(4, track_running_stats=True)|wg.nn.AlphaDropout(0.3)|wg.nn.RReLU()|wg.nn.LocalResponseNorm(2)
""".replace("\n", "|").strip("|").split("|"))
CONVOLUTION = "wg.nn.Unflatten(1, (1, 4)), wg.nn.Conv1d(1, 2, 3), wg.nn.Flatten(), wg.nn.Linear(4, 4)"
LAYERS += (f"wg.nn.Sequential({CONVOLUTION})",)
"""Layers from four numbers to four."""

OPTIMIZERS = tuple("""
SGD({p}, lr=0.1)|SGD({p}, lr=0.1, momentum=0.9)|SGD({p}, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
SGD({p}, lr=0.1, maximize=True)|Adam({p}, lr=0.01)|Adam({p}, lr=0.01, amsgrad=True)|AdamW({p}, lr=0.01)
Adam({p}, lr=0.01, foreach=True)|Adam({p}, lr=0.01, foreach=False)|Adam({p}, lr=0.01, capturable=True)
Adam({p}, lr=wg.tensor(0.01))|RMSprop({p}, lr=0.01)|RMSprop({p}, lr=0.01, momentum=0.5, centered=True)
Adagrad({p}, lr=0.05)|Adagrad({p}, lr=0.05, lr_decay=0.1)|Adadelta({p})|Adamax({p}, lr=0.01)|NAdam({p}, lr=0.01)
RAdam({p}, lr=0.01)|Rprop({p}, lr=0.01)|ASGD({p}, lr=0.01)|Adafactor({p}, lr=0.01)|Adam({p}, lr=0.01, fused=True)
NAdam({p}, lr=0.01, decoupled_weight_decay=True, weight_decay=0.1)|AdamW({p}, lr=0.01, maximize=True)
SGD({p}, lr=wg.tensor(0.1), momentum=0.5)|LBFGS({p}, max_iter=3)|SGD({p}, lr=0.1, dampening=0.1, momentum=0.3)
""".replace("\n", "|").strip("|").split("|"))

SCHEDULERS = tuple("""
StepLR(o0, 2, gamma=0.5)|ExponentialLR(o0, 0.9)|CosineAnnealingLR(o0, 5)|LambdaLR(o0, lambda k: 1 / (k + 1))
CyclicLR(o0, 0.01, 0.1, step_size_up=2, cycle_momentum=False)|LinearLR(o0)|OneCycleLR(o0, 0.1, total_steps=50)
""".replace("\n", "|").strip("|").split("|"))

LOSSES = tuple("""
F.mse_loss(v1, a1)|F.l1_loss(v1, a1)|F.smooth_l1_loss(v1, a1)|F.cross_entropy(v1, a1.argmax(-1))
(v1 - a1).pow(2).sum()|F.cross_entropy(v1, a1.softmax(-1), label_smoothing=0.1)
F.binary_cross_entropy_with_logits(v1, a1.sigmoid())
F.kl_div(v1.log_softmax(-1), a1.softmax(-1), reduction="batchmean")|F.huber_loss(v1, a1)
F.nll_loss(v1.log_softmax(-1), a1.argmax(-1))
F.mse_loss(v1, a1) + 0.01 * sum(p.square().sum() for p in m0.parameters())|F.cosine_embedding_loss(v1, a1, wg.ones(3))
F.gaussian_nll_loss(v1, a1, wg.ones(3, 4))|F.poisson_nll_loss(v1, a1.abs())|(v1 * a1).logsumexp(0).mean()
""".replace("\n", "|").strip("|").split("|"))

AFTER = ("wg.nn.utils.clip_grad_norm_(m0.parameters(), 0.5)", "wg.nn.utils.clip_grad_value_(m0.parameters(), 0.1)",
         "for p in m0.parameters():\n    p.grad.mul_(0.5)", "w0.copy_(v2.detach())", "w0.add_(v2.detach())")
"""Statements between backward and the step."""

BEHIND = tuple("""
with wg.no_grad():~    for p in m0.parameters():~        p.mul_(0.99)
with wg.no_grad():~    w1.lerp_(next(m0.parameters()).flatten()[:2], 0.3)|d0.load_state_dict(m0.state_dict())
with wg.no_grad():~    for p, q in zip(d0.parameters(), m0.parameters()):~        p.lerp_(q, 0.1)|o0.zero_grad()
o0.zero_grad(set_to_none=False)|m0.zero_grad()
""".replace("\n", "|").replace("~", "\n").strip("|").split("|"))
"""Statements behind the step."""

CHANGES = tuple("""
for group in o0.param_groups:~    group["lr"] = 0.03|q0.step()|q0.step()
call(m0.load_state_dict, copy.deepcopy(m0.state_dict()))|call(o0.load_state_dict, copy.deepcopy(o0.state_dict()))
o0.zero_grad()|o0.zero_grad(set_to_none=False)|for p in m0.parameters():~    write(p, 2)
m0.requires_grad_(False)~call(f, a0, a1)~m0.requires_grad_(True)
for group in o0.param_groups:~    group["weight_decay"] = 0.05
for group in o0.param_groups:~    group["momentum"] = 0.7|for p in m0.parameters():~    p.grad = wg.ones_like(p)
o0.state.clear()|call(m0, a0)|call(o0.step)|a0, a1 = a0[:2], a1[:2]~see(call(f, a0, a1))
for p in m0.parameters():~    p.data = p.data.clone()|a0 = a0.double().float()|del p
next(m0.parameters()).requires_grad_(False)|next(m0.parameters()).requires_grad_(True)
""".replace("\n", "|").replace("~", "\n").strip("|").split("|"))

GUARDED = ("m0.eval()", "m0.train()", "m0[0] = wg.nn.Linear(4, 4)", "state[0] = 0.5", "state[0] = 2.0")
"""Changes of Python's state, with ``guard_python=True``."""


def fill(rng: random.Random, program: Program) -> None:
    """Fill a program with a training step."""
    layers = [rng.choice(LAYERS) for _ in range(rng.randrange(1, 4))]
    layers = [layer for layer in layers if layer not in ("wg.nn.Unflatten(1, (1, 4))", "wg.nn.Flatten()")]
    layers = layers if any("Linear" in layer for layer in layers) else ["wg.nn.Linear(4, 4)", *layers]
    optimizer = rng.choice(OPTIMIZERS)
    groups = '[{{"params": m0[:1].parameters()}}, {{"params": m0[1:].parameters(), "lr": 0.02}}]'
    params = groups.format() if len(layers) > 1 and rng.random() < 0.2 else "m0.parameters()"
    program.outside = ["wg.manual_seed(3)", f"m0 = wg.nn.Sequential({', '.join(layers)})", "d0 = copy.deepcopy(m0)",
                       f"o0 = wg.optim.{optimizer.format(p=params)}",
                       f"q0 = wg.optim.lr_scheduler.{rng.choice(SCHEDULERS)}",
                       "w0 = wg.zeros(())", "w1 = wg.zeros(2)", "state = [1.0]"]  # fmt: skip
    program.arguments = ["a0", "a1"]
    program.inputs = ["a0 = wg.linspace(-1, 2, 12).reshape(3, 4)", "a1 = wg.linspace(1, -1, 12).reshape(3, 4).cos()"]
    program.changes = [rng.choice(CHANGES) for _ in range(3)]
    zero = rng.choice(("o0.zero_grad()", "o0.zero_grad()", "o0.zero_grad(set_to_none=False)", "m0.zero_grad()"))
    loss = rng.choice(LOSSES)
    if rng.random() < 0.3:
        program.options = "guard_python=True"
        program.changes += [rng.choice(GUARDED) for _ in range(2)]
        loss = f"({loss}) * state[0]"
    if "LBFGS" in optimizer:
        lines = ("o0.zero_grad()", "v1 = m0(a0)", f"v2 = {loss}", "v2.backward()", "return v2")
        program.body = ["\n    ".join(["def closure():", *lines]), "v2 = o0.step(closure)"]
    else:
        program.body = [zero, "v1 = m0(a0)", f"v2 = {loss}", "v2.backward()", "o0.step()"]
        if rng.random() < 0.3:
            program.body.insert(4, rng.choice(AFTER))
        if rng.random() < 0.2:
            program.body += ["v1 = m0(a0.flip(0))", f"v2 = {loss}", "v2.backward()", "o0.step()"]
        if rng.random() < 0.3:
            program.body.append(rng.choice(BEHIND))
        if rng.random() < 0.1:
            program.body.remove(zero)
    program.results = ["v2.detach()"] if rng.random() < 0.8 else ["v2.detach()", "v1.detach()"]
