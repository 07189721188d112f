from wengert_engine.namespaces.variable import Variable as Variable

__all__ = ["Variable"]
