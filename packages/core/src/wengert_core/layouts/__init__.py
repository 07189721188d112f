"""Layouts: tensors that consist of other tensors, and the interface that a layout plugin implements."""
