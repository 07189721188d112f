from wengert_functional.control_flow.higher_order_ops import associative_scan as associative_scan
from wengert_functional.control_flow.higher_order_ops import cond as cond
from wengert_functional.control_flow.higher_order_ops import scan as scan
from wengert_functional.control_flow.higher_order_ops import while_loop as while_loop

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
