"""Fit a Gaussian process to a sine wave and predict, exactly and with inducing points."""

from typing import Any

import gpytorch
import torch


class Model(gpytorch.models.ExactGP):  # type: ignore[misc]
    """A constant mean and a scaled kernel."""

    def __init__(self, x: Any, y: Any, likelihood: Any) -> None:
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        kernel = gpytorch.kernels.MaternKernel(nu=2.5) + gpytorch.kernels.PeriodicKernel()
        self.kernel = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, x: Any) -> Any:
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Sparse(gpytorch.models.ApproximateGP):  # type: ignore[misc]
    """A variational approximation at ten points."""

    def __init__(self, points: Any) -> None:
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points.size(0))
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    forward = Model.forward


def main() -> dict[str, Any]:
    torch.set_default_dtype(torch.float64)
    x = torch.linspace(0, 1, 60)
    y = torch.sin(x * 6.28) + 0.05 * torch.cos(x * 91)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(x, y, likelihood)
    losses = train(model, likelihood, gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model), x, y)
    model.eval()
    likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        prediction = likelihood(model(torch.linspace(0, 1.2, 25)))
    sparse, noise = Sparse(torch.linspace(0, 1, 10)[:, None]), gpytorch.likelihoods.GaussianLikelihood()
    sparse.variational_strategy.variational_params_initialized.fill_(1)
    bound = gpytorch.mlls.VariationalELBO(noise, sparse, num_data=60)
    bounds = train(sparse, noise, bound, x[:, None], y)
    torch.set_default_dtype(torch.float32)
    return {"losses": losses, "mean": prediction.mean, "variance": prediction.variance, "bounds": bounds}


def train(model: Any, likelihood: Any, objective: Any, x: Any, y: Any) -> list[float]:
    """Return the losses of some steps of Adam."""
    model.train()
    likelihood.train()
    parameters = {id(p): p for p in [*model.parameters(), *likelihood.parameters()]}
    optimizer = torch.optim.Adam(parameters.values(), lr=0.1)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = -objective(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
