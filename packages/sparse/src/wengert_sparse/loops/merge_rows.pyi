from wengert_core.extend import Tensor

def add_rows(
    pointers_a: Tensor,
    columns_a: Tensor,
    x: Tensor,
    pointers_b: Tensor,
    columns_b: Tensor,
    y: Tensor,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor] | None: ...
