from wengert_engine.node import Node as Node
