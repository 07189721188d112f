"""Modules of affine maps whose weight is divided among ranks."""

from __future__ import annotations

from typing import Any

from wengert import no_grad
from wengert.nn import Linear, Module, Parameter
from wengert_core.extend import Tensor

from wengert_distributed.functional.group_argument import named_group
from wengert_distributed.groups.world import member_group
from wengert_distributed.tensor_parallel.linear import column_parallel_linear, row_parallel_linear
from wengert_distributed.tensor_parallel.replicated import gather_from_ranks, part_size


def own_part(tensor: Tensor, dim: int, group: Any) -> Parameter:
    """Return a parameter with a copy of this rank's part of a tensor."""
    size = part_size(tensor.shape[dim], group, f"dim {dim} of a parameter of shape {tuple(tensor.shape)}")
    part: Parameter = Parameter(
        tensor.detach().narrow(dim, group.rank() * size, size).clone(), requires_grad=tensor.requires_grad
    )
    return part


class ParallelLinear(Module):
    """The base of ColumnParallelLinear and RowParallelLinear: a Linear that is divided among the ranks of a group."""

    in_features: int
    out_features: int
    weight: Tensor
    bias: Any

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        group: Any = None,
        device: Any = None,
        dtype: Any = None,
        linear: Any = None,
    ) -> None:
        super().__init__()
        self.group: Any = member_group(group)
        self.load_linear(Linear(in_features, out_features, bias, device, dtype) if linear is None else linear)

    @classmethod
    def from_linear(cls, linear: Any, **options: Any) -> Any:
        """Return a module with this rank's part of a Linear, a copy. All ranks pass equal Linears.

        options: the keyword arguments of the class, but for those of a Linear.
        """
        return cls(linear.in_features, linear.out_features, linear=linear, **options)

    def load_linear(self, linear: Any) -> None:
        """Copy this rank's part of the parameters of a Linear of the same sizes."""
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight, bias = self.parts(linear.weight, linear.bias)
        self.register_parameter("bias", bias)

    def to_linear(self) -> Linear:
        """Return a Linear with the whole parameters, a copy. All ranks call it together."""
        with no_grad():
            weight, bias = self.whole()
            linear = Linear(self.in_features, self.out_features, bias is not None, weight.device, weight.dtype)
            linear.weight.copy_(weight)
            if bias is not None:
                linear.bias.copy_(bias)
        return linear

    def parts(self, weight: Tensor, bias: Tensor | None) -> tuple[Parameter, Parameter | None]:
        """Return this rank's parts of weight and bias."""
        raise NotImplementedError

    def whole(self) -> tuple[Tensor, Tensor | None]:
        """Return weight and bias of all ranks."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copy and pickle, with the name of the group in place of the group."""
        return {**self.__dict__, "group": self.group.group_name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state; the group is that of this name in this process."""
        super().__setstate__(state)
        self.group = named_group(state["group"])

    def extra_repr(self) -> str:
        """Return the sizes of the whole and the number of ranks."""
        return (f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}, "
                f"ranks={self.group.size()}")  # fmt: skip


class ColumnParallelLinear(ParallelLinear):
    """Compute ``input @ weight.T + bias``, of which each rank has a part of the output's features.

    in_features, out_features, bias, device, dtype: those of the whole, as of ``wengert.nn.Linear``; out_features is a
    multiple of the number of ranks, otherwise ValueError is raised. gather_output: return all features, replicated,
    rather than this rank's part. group: the ranks. linear: a Linear to take over, instead of drawing one.

    weight: ``(out_features / ranks, in_features)``; bias: ``(out_features / ranks,)``. The whole is drawn and each rank
    takes its part, so that ranks with the same seed have what one process would have.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> layer = wg.distributed.tensor_parallel.ColumnParallelLinear(4, 6)
    >>> layer(wg.zeros(2, 4)).shape, layer
    (torch.Size([2, 6]), ColumnParallelLinear(in_features=4, out_features=6, bias=True, ranks=1))
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(self, *args: Any, gather_output: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        self.gather_output = gather_output

    def parts(self, weight: Tensor, bias: Tensor | None) -> tuple[Parameter, Parameter | None]:
        """Return this rank's rows of the weight and its part of the bias."""
        return own_part(weight, 0, self.group), None if bias is None else own_part(bias, 0, self.group)

    def whole(self) -> tuple[Tensor, Tensor | None]:
        """Return weight and bias of all ranks."""
        bias = None if self.bias is None else gather_from_ranks(self.bias, 0, self.group)
        return gather_from_ranks(self.weight, 0, self.group), bias

    def forward(self, input: Tensor) -> Tensor:
        """Compute the affine map of the last dim of a replicated input."""
        return column_parallel_linear(input, self.weight, self.bias, gather_output=self.gather_output, group=self.group)


class RowParallelLinear(ParallelLinear):
    """Compute ``input @ weight.T + bias``, of which each rank has a part of the input's features.

    in_features, out_features, bias, device, dtype: those of the whole, as of ``wengert.nn.Linear``; in_features is a
    multiple of the number of ranks, otherwise ValueError is raised. input_is_parallel: the input is this rank's part of
    the features, as a ColumnParallelLinear without gather_output returns it. group: the ranks. linear: a Linear to take
    over, instead of drawing one.

    weight: ``(out_features, in_features / ranks)``; bias: ``(out_features,)``, replicated.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> layer = wg.distributed.tensor_parallel.RowParallelLinear(4, 6)
    >>> layer(wg.zeros(2, 4)).shape
    torch.Size([2, 6])
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(self, *args: Any, input_is_parallel: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.input_is_parallel = input_is_parallel

    def parts(self, weight: Tensor, bias: Tensor | None) -> tuple[Parameter, Parameter | None]:
        """Return this rank's columns of the weight, and the bias."""
        whole = None if bias is None else Parameter(bias.detach().clone(), requires_grad=bias.requires_grad)
        return own_part(weight, 1, self.group), whole

    def whole(self) -> tuple[Tensor, Tensor | None]:
        """Return weight and bias of all ranks."""
        return gather_from_ranks(self.weight, 1, self.group), self.bias

    def forward(self, input: Tensor) -> Tensor:
        """Compute the affine map of the last dim."""
        return row_parallel_linear(
            input, self.weight, self.bias, input_is_parallel=self.input_is_parallel, group=self.group
        )
