"""The arrays of the training: numpy on a processor, CuPy on a graphics card, the same code for both.

Everything but one sum is spelled alike in the two. That sum goes over the parts of each text in their order, so a
run repeats bit by bit on the same machine.
"""

from functools import cache
from typing import Any

import numpy as np

BLOCK = 512
"""Texts summed at a time on a processor: their rows should stay in its cache."""

_KERNEL = """
extern "C" __global__ void gather_sum(const float* rows, const int* index, const float* weight,
                                      const long long* starts, float* out, int width) {
    long long from = starts[blockIdx.x], to = starts[blockIdx.x + 1];
    for (int column = threadIdx.x; column < width; column += blockDim.x) {
        float sum = 0;
        for (long long k = from; k < to; k++) sum += weight[k] * rows[(long long)index[k] * width + column];
        out[(long long)blockIdx.x * width + column] = sum;
    }
}
"""


@cache
def backend() -> Any:
    """Return CuPy where there is a graphics card, else numpy."""
    try:
        import cupy

        return cupy if cupy.cuda.runtime.getDeviceCount() else np
    except Exception:  # noqa: BLE001  CuPy has errors of its own for a missing driver
        return np


def host(array: Any) -> np.ndarray:
    """Return an array in ordinary memory."""
    return array if isinstance(array, np.ndarray) else array.get()


def gather_sum(rows: Any, index: Any, weight: Any, starts: Any) -> Any:
    """Return ``out[s] = Σ weight[k] · rows[index[k]]`` over ``starts[s] ≤ k < starts[s + 1]``."""
    if isinstance(rows, np.ndarray):
        return _gather_sum_here(rows, index, weight, starts)
    xp = backend()
    out = xp.empty((len(starts) - 1, rows.shape[1]), dtype=xp.float32)
    if len(out):
        arguments = (rows, index, weight, starts, out, np.int32(rows.shape[1]))
        _kernel()((len(out),), (256,), arguments)
    return out


def _gather_sum_here(rows: np.ndarray, index: np.ndarray, weight: np.ndarray, starts: np.ndarray) -> np.ndarray:
    out = np.zeros((len(starts) - 1, rows.shape[1]), dtype=np.float32)
    for begin in range(0, len(out), BLOCK):
        bounds = starts[begin : begin + BLOCK + 1]
        first, last = int(bounds[0]), int(bounds[-1])
        full = np.flatnonzero(np.diff(bounds))
        if len(full):
            weighted = rows[index[first:last]] * weight[first:last, None]
            out[begin + full] = np.add.reduceat(weighted, bounds[:-1][full] - first, axis=0)
    return out


@cache
def _kernel() -> Any:
    return backend().RawKernel(_KERNEL, "gather_sum")
