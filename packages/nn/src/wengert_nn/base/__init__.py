"""Parts of class Module, which ``wengert_nn.modules.module`` puts together, and tuples of sizes for spatial dims."""
