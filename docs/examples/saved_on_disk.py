"""Differentiate a deep network whose activations lie in files until backward asks for them.

    python saved_on_disk.py [--layers 40] [--width 256] [--quick]

What an operation keeps for backward is packed when it is recorded and unpacked when backward comes to it. Here packing
writes a file and unpacking reads it; the file goes when the graph lets go of it. Exit status 1 if the gradients are not
those of a run in memory, or a file is left over.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import wengert as wg


class SavedFile:
    """A saved tensor in a file of its own, which is removed with this object."""

    written = read = 0  # bytes, in all

    def __init__(self, tensor, folder):
        array = tensor.detach().cpu().numpy()
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".npy", delete=False) as file:
            np.save(file, array)
        self.path = Path(file.name)
        SavedFile.written += array.nbytes

    def load(self):
        array = np.load(self.path)
        SavedFile.read += array.nbytes
        return wg.as_tensor(array)

    def __del__(self):
        self.path.unlink(missing_ok=True)


def on_disk(folder, smallest=1024):
    """The pair of hooks. Weights, which are in memory anyway, and tensors of fewer elements stay there."""

    def pack(tensor):
        if tensor.is_leaf or tensor.numel() < smallest:
            return tensor.detach()  # without its history: a result would keep the graph that keeps it
        return SavedFile(tensor, folder)

    def unpack(packed):
        return packed.load() if isinstance(packed, SavedFile) else packed

    return wg.autograd.graph.saved_tensors_hooks(pack, unpack)


def loss_of(weights, x):
    for weight in weights:
        x = wg.tanh(x @ weight)
    return (x * x).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=40)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--quick", action="store_true", help="4 layers of width 64")
    parser.add_argument("--out", type=Path, help="where the folder with the files is made (default: the system's)")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another device's name")
    options = parser.parse_args()
    wg.set_default_device(options.device)
    if options.quick:
        options.layers, options.width = 4, 64

    wg.manual_seed(0)
    scale = options.width**-0.5
    weights = [(wg.randn(options.width, options.width) * scale).requires_grad_() for _ in range(options.layers)]
    x = wg.randn(64, options.width)
    in_memory = wg.autograd.grad(loss_of(weights, x), weights)

    with tempfile.TemporaryDirectory(dir=options.out) as folder:
        with on_disk(folder):
            loss = loss_of(weights, x)
        files = len([*Path(folder).iterdir()])
        written = SavedFile.written / 2**20
        print(f"loss {loss.item():.6f}: {files} files, {written:.1f} MiB, for {options.layers} layers")
        from_disk = wg.autograd.grad(loss, weights)
        left = len([*Path(folder).iterdir()])
    print(f"backward has read {SavedFile.read / 2**20:.1f} MiB; files left: {left}")
    equal = all(bool((a == b).all()) for a, b in zip(in_memory, from_disk, strict=True))
    print(f"gradients equal to those of a run in memory: {'yes' if equal else 'NO'}")
    return 0 if equal and not left else 1


if __name__ == "__main__":
    sys.exit(main())
