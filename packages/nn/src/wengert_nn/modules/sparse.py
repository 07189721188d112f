"""Tables of vectors: Embedding, and EmbeddingBag, which adds them up."""

from __future__ import annotations

from typing import Any, ClassVar

import wengert
from wengert import Tensor
from wengert.nn.functional import embedding, embedding_bag

from wengert_nn import init
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class Table(Module):
    """The base class of both: the rows, and which of them stays zero."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Tensor

    def _set_rows(
        self, weight: Tensor | None, requires_grad: bool, device: Any, dtype: Any
    ) -> None:
        """Register the rows: those that are passed, or new ones."""
        shape = [self.num_embeddings, self.embedding_dim]
        if weight is None:
            self.weight = Parameter(wengert.empty(shape, device=device, dtype=dtype), requires_grad)
            self.reset_parameters()
            return
        if list(weight.shape) != shape:
            raise AssertionError(
                "Shape of weight does not match num_embeddings and embedding_dim: "
                f"got {list(weight.shape)}, expected {shape}"
            )
        self.weight = Parameter(weight, requires_grad)

    def reset_parameters(self) -> None:
        """Draw the rows from the standard normal distribution; that of the padding becomes zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with wengert.no_grad():
                self.weight[self.padding_idx].fill_(0)


def row_of_padding(padding_idx: int | None, num_embeddings: int, name: str) -> int | None:
    """Return the number of the padding's row from the beginning. AssertionError where there is no such row."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
        raise AssertionError(
            f"{name} must be within num_embeddings: got {padding_idx} and num_embeddings {num_embeddings}"
        )
    return padding_idx + num_embeddings if padding_idx < 0 else padding_idx


def check_pretrained(embeddings: Tensor) -> tuple[int, int]:
    """Return the numbers of rows and columns. AssertionError for what is no matrix."""
    if embeddings.dim() != 2:
        raise AssertionError(
            f"Embeddings parameter is expected to be 2-dimensional, got {embeddings.dim()} dimensions"
        )
    return embeddings.shape[0], embeddings.shape[1]


class Embedding(Table):
    """Return the rows of a table at integers: words, categories.

    num_embeddings, embedding_dim: the table's size. padding_idx: the row that is zero at first and gets no gradient.
    max_norm, norm_type: rows with a longer norm are scaled to it, in place, when they are looked up.
    scale_grad_by_freq: whether a row's gradient is divided by how often it was looked up.
    sparse: whether the gradient of `weight` is a sparse tensor. device, dtype: those of `weight`.
    input: integers of any shape; output: that shape and ``embedding_dim``.

    >>> import wengert as wg
    >>> table = wg.nn.Embedding(10, 3, padding_idx=0)
    >>> table(wg.tensor([[1, 2, 4, 5], [4, 3, 2, 9]])).shape
    torch.Size([2, 4, 3])
    >>> table(wg.tensor(0))
    tensor([0., 0., 0.], grad_fn=<EmbeddingBackward0>)
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx: int | None = row_of_padding(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_rows(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        """Look rows up."""
        try:
            weight = self._parameters["weight"]  # see Note [Parameters in forward]
        except KeyError:
            weight = self.weight
        return embedding(
            input, weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """Return the size, and the options that are not the defaults."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Return a layer with the rows of a matrix, which get no gradients unless `freeze` is False.

        >>> import wengert as wg
        >>> wg.nn.Embedding.from_pretrained(wg.tensor([[1.0, 2.3], [4.0, 5.1]]))(wg.tensor([1]))
        tensor([[4.0000, 5.1000]])
        """
        rows, columns = check_pretrained(embeddings)
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(Table):
    """Return sums, means or maxima of rows of a table, without making the rows.

    mode: "sum", "mean" or "max". include_last_offset: whether `offsets` ends with the number of integers.
    padding_idx: the row that is zero at first, gets no gradient and does not count. The other arguments are those of
    ``Embedding``.
    input: a matrix of integers, of which each row is a bag, or a vector of them with `offsets`, where the bags begin.
    output: ``(number of bags, embedding_dim)``. per_sample_weights: factors of the rows, for mode "sum".

    >>> import wengert as wg
    >>> bags = wg.nn.EmbeddingBag.from_pretrained(wg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), mode="sum")
    >>> bags(wg.tensor([0, 1, 2, 2]), wg.tensor([0, 2]))
    tensor([[ 4.,  6.],
            [10., 12.]])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    ]  # fmt: skip

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx: int | None = row_of_padding(padding_idx, num_embeddings, "padding_idx")
        self._set_rows(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Look rows up and reduce them."""
        return embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the size, the mode, and the options that are not the defaults."""
        parts = [f"{self.num_embeddings!r}, {self.embedding_dim!r}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm!r}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type!r}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq!r}")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx!r}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Return a layer with the rows of a matrix, which get no gradients unless `freeze` is False."""
        rows, columns = check_pretrained(embeddings)
        bag = cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag
