"""The parts of class Module, one subject in each module; ``wengert_nn.modules.module`` puts them together."""
