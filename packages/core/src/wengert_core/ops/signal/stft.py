"""The short-time Fourier transform and its inverse."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.ops.signal.fft import as_complex, c2c_op, c2r_op, number_of, r2c_op
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
NO_WINDOW = "A window was not provided. A rectangular window will be applied."
SILENCE = "To suppress this warning and use a rectangular window, explicitly set window=torch.ones(n_fft)."


def describe_tensor(x: Tensor) -> str:
    """A tensor as torch's messages name it."""
    return f"torch.{CPP_NAMES[x.dtype.name]}Tensor{list(x.shape)}"


def pad_ends(input: Tensor, amount: int, mode: str) -> Tensor:
    """input with ``amount`` more elements at both ends of its last dim."""
    wide = [1] * (3 - input.ndim) + list(input.shape)
    if len(wide) > 3 and mode != "constant":
        raise NotImplementedError(f"Padding size 2 is not supported for {len(wide)}D input tensor.")
    if input.dtype.name == "bool" and mode == "reflect":
        raise NotImplementedError("\"reflection_pad1d\" not implemented for 'Bool'")
    n = wide[-1]
    if mode not in ("reflect", "constant", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode == "constant":
        zeros = input.new_zeros([*input.shape[:-1], amount])
        return ops["cat"]([zeros, input, zeros], -1)
    if amount >= n + (mode == "circular") and mode != "replicate":
        raise RuntimeError(
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
            f"({amount}, {amount}) at dimension {len(wide) - 1} of input {wide}")
    if mode != "circular":
        return ops["_reflection_pad1d" if mode == "reflect" else "_replication_pad1d"](input, (amount, amount))
    places = [k % n for k in range(-amount, n + amount)]
    return ops["index_select"](input, input.ndim - 1, ops["tensor"](places, device=input.device))


def center_window(x: Tensor, n_fft: int) -> Tensor:
    """A window or frames in the middle of n_fft points."""
    missing = n_fft - x.shape[-1]
    if missing == 0:
        return x
    left, right = ([*x.shape[:-1], n] for n in (missing // 2, missing - missing // 2))
    return ops["cat"]([x.new_zeros(left), x, x.new_zeros(right)], -1)


def check_stft(input: Tensor, n_fft: int, hop: int, win: int, window: Tensor | None, said: str) -> None:
    """torch's errors."""
    def fail(text: str) -> RuntimeError:
        call = f"stft({describe_tensor(input)}, n_fft={n_fft}, hop_length={hop}, win_length={win}, {said})"
        return RuntimeError(f"{call} : {text}")

    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise fail("expected a tensor of floating point or complex values")
    if input.ndim not in (1, 2):
        raise fail("expected a 1D or 2D tensor")
    if not 0 < n_fft <= input.shape[-1]:
        raise fail(f"expected 0 < n_fft < {input.shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise fail(f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < win <= n_fft:
        raise fail(f"expected 0 < win_length <= n_fft, but got win_length={win}")
    if window is not None and tuple(window.shape) != (win,):
        raise fail(f"expected a 1D window tensor of size equal to win_length={win}, but got window with size "
                   f"{list(window.shape)}")


def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: Any = True, pad_mode: str = "reflect", normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        input = pad_ends(input, n_fft // 2, pad_mode)
    if window is None:
        warn_user(
            f"{NO_WINDOW[:-1]}, which is known to cause spectral leakage. Other windows such as torch.hann_window or "
            f"torch.hamming_window are recommended to reduce spectral leakage. {SILENCE}")
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    is_complex = input.dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release.")
    said = (f"window={None if window is None else describe_tensor(window)}, normalized={int(normalized)}, "
            f"onesided={onesided}, return_complex={return_complex}, align_to_window={align_to_window}")
    check_stft(input, n_fft, hop, win, window, said)
    if return_complex is False:
        warn_user("stft with return_complex=False is deprecated: call torch.view_as_real on the complex result.")
    aligned = bool(align_to_window)
    single = input.ndim == 1
    frames = ops["unfold"](ops["unsqueeze"](input, 0) if single else input, -1, win if aligned else n_fft, hop)
    if window is not None:
        frames = frames * (window if aligned else center_window(window, n_fft))
    elif win < n_fft and not aligned:
        frames = frames * center_window(input.new_ones(win), n_fft)
    result = ops["transpose_"](spectrum(center_window(frames, n_fft), normalized, onesided, is_complex), 1, 2)
    if single:
        ops["squeeze_"](result, 0)
    return ops["view_as_real"](result) if return_complex is False else result


def spectrum(frames: Tensor, normalized: bool, onesided: bool | None, is_complex: bool) -> Tensor:
    """The Fourier transform of the last dim."""
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if frames.dtype.name in ("float16", "bfloat16"):
        raise RuntimeError(f"Unsupported dtype {CPP_NAMES[frames.dtype.name]}: stft takes float32 and float64")
    number, last = number_of("ortho" if normalized else None, True), [frames.ndim - 1]
    if is_complex:
        return c2c_op(as_complex(frames), last, number, True)
    return r2c_op(frames, last, number, onesided is not False)


def overlap_add(frames: Tensor, hop: int) -> Tensor:
    """The sum of frames [batch, frame, time], each hop later than the one before: [batch, time]."""
    batch, count, n = frames.shape
    starts = ops["arange"](0, count * hop, hop, device=frames.device)
    places = ops["add"](starts.unsqueeze(1), ops["arange"](n, device=frames.device)).reshape(-1)
    target = frames.new_zeros((batch, n + hop * (count - 1)))
    return ops["index_add"](target, 1, places, frames.reshape(batch, count * n))


def check_istft(input: Tensor, n_fft: int, hop: int, win: int, window: Tensor | None, said: str) -> Any:
    """torch's errors; gives the function that makes further ones."""
    def fail(text: str) -> RuntimeError:
        kind = f"CPU{CPP_NAMES[input.dtype.name]}Type{list(input.shape)}"
        return RuntimeError(f"istft({kind}, n_fft={n_fft}, hop_length={hop}, win_length={win}, {said}) : {text}")

    input.size(-2), input.size(-1)  # IndexError where there is no such dim
    if not input.dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    if 0 in input.shape:
        raise fail("input tensor cannot be empty.")
    if input.ndim not in (2, 3):
        raise fail(f"expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}")
    if not 0 < hop <= win:
        raise fail("expected 0 < hop_length <= win_length")
    if not 0 < win <= n_fft:
        raise fail("expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (win,):
        raise fail("Invalid window shape. window has to be 1D and length of `win_length`")
    return fail


def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, normalized: bool = False, onesided: bool | None = None,
    length: int | None = None, return_complex: bool = False,
) -> Tensor:
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    said = (f"window={None if window is None else describe_tensor(window)}, center={int(center)}, "
            f"normalized={int(normalized)}, onesided={onesided}, length={length}, return_complex={int(return_complex)}")
    fail = check_istft(input, n_fft, hop, win, window, said)
    half = input.shape[-2] != n_fft if onesided is None else onesided
    if input.shape[-2] != (n_fft // 2 + 1 if half else n_fft):
        raise fail("expected the frequency dimension (3rd to the last) of the input tensor to match "
                   f"n_fft{' / 2 + 1' if half else ''} when onesided={half}, but got {input.shape[-2]}")
    if return_complex and half:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if window is None:
        warn_user(f"{NO_WINDOW} Please provide the same window used by stft to make the inversion lossless. {SILENCE}")
        window = input.new_ones(win, dtype=input.dtype.to_real())
    if window.dtype.is_complex and not return_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    window = center_window(window, n_fft)
    batched = input if input.ndim == 3 else input.unsqueeze(0)
    frames = from_spectrum(ops["transpose"](batched, 1, 2), n_fft, normalized, return_complex) * window
    envelope = overlap_add((window * window).expand(1, frames.shape[1], n_fft), hop)
    signal = inverse_frames(overlap_add(frames, hop), envelope, n_fft // 2 if center else 0, length, fail)
    return signal if input.ndim == 3 else signal.squeeze(0)


def from_spectrum(frames: Tensor, n_fft: int, normalized: bool, return_complex: bool) -> Tensor:
    """The inverse Fourier transform of the last dim."""
    number = number_of("ortho" if normalized else None, False)
    if return_complex:
        return c2c_op(frames, [2], number, False)
    return c2r_op(ops["narrow"](frames, 2, 0, n_fft // 2 + 1), [2], number, n_fft)


def inverse_frames(signal: Tensor, envelope: Tensor, start: int, length: int | None, fail: Any) -> Tensor:
    """The signal divided by the windows' sum, without its padding, as long as was asked for."""
    whole = signal.shape[1]
    end = whole - start if length is None else min(start + length, whole)
    signal, envelope = ops["narrow"](signal, 1, start, end - start), ops["narrow"](envelope, 1, start, end - start)
    seen = every_sample(envelope)
    smallest = 1.0 if seen is not envelope and not seen.numel() else ops["abs"](seen).min().item()
    if not smallest > 1e-11:
        raise fail(f"window overlap add min: {smallest:g}; the windows must not all be 0 anywhere")
    signal = signal / envelope
    if length is not None and start + length > whole:
        warn_user("The length of signal is shorter than the length parameter. Result is being padded with zeros in the "
                  "tail. Please check your center, hop_length, and win_length")
        zeros = signal.new_zeros((signal.shape[0], start + length - whole))
        signal = ops["cat"]([signal, zeros], 1)
    return signal


for function in (stft, istft):
    TABLE.composite(function, method=True)
