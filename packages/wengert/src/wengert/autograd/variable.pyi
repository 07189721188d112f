from wengert_engine.namespaces.variable import Variable as Variable
