"""Group-sequential p-values: the error of a decision is spent as its planned questions come in.

Looking again and again at growing data finds a difference that is not there sooner or later. Of the
error of a decision a look may have spent only what its share of the planned questions allows (Lan
and DeMets 1983): `spent` of it, with a function close to Pocock's, which leaves early looks enough
for a verdict. What a look adds gives its own nominal level, from the joint normal distribution of
the looks' statistics, which have independent increments.

A repeated p-value (Jennison and Turnbull 2000) says the same without a level per look: it is the
smallest error of the whole decision at which this look would reject. It is compared with .05 at
every look, and adjusted for several judges like any other p-value.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from scipy import special

ERROR = 0.05
LOOKS_AT_MOST = 4
_POINTS, _REACH = 201, 8.0
_ERRORS = np.concatenate([np.geomspace(1e-9, 0.3, 36), np.linspace(0.36, 0.98, 8)])


def spent(share: float | np.ndarray, error: float | np.ndarray = ERROR) -> np.ndarray:
    """Return the error a decision may have spent at a share (0 to 1) of its planned questions."""
    return error * np.log1p((np.e - 1) * np.minimum(share, 1))


def level(shares: Sequence[float], error: float = ERROR) -> float:
    """Return the nominal one-sided level of the last of these looks.

    Args:
        shares: Of the planned questions at each look that spent error, strictly rising, above 0;
            those beyond 1 count as 1.
        error: Of the whole decision.
    """
    times = tuple(min(float(share), 1.0) for share in shares)
    # A look without new questions has spent nothing, so it has no error to reject with.
    if any(later <= earlier for earlier, later in pairwise(times)):
        return 0.0
    return float(_levels(times, error))


def repeated_p(p_values: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Return the smallest error of the whole decision at which the last look rejects.

    Args:
        p_values: Any shape, those of the last look alone.
        shares: As for `level`; one look at all planned questions leaves p-values as they are.

    Returns:
        0 to 1; 1 throughout where the last look has no new questions to spend error on.
    """
    times = tuple(min(float(share), 1.0) for share in shares)
    values = np.asarray(p_values, float)
    if len(times) == 1:
        return np.minimum(values / spent(times[0], 1.0), 1)
    nominal = _nominal(times)
    if not nominal[-1]:
        return np.ones_like(values)
    # Interpolated on logarithms, on which error and nominal level are nearly linear.
    small = np.log(np.maximum(values, 1e-300))
    errors = np.exp(np.interp(small, np.log(nominal), np.log(_ERRORS)))
    below = values < nominal[0]  # beyond the table in proportion
    return np.where(
        below, values / nominal[0] * _ERRORS[0], np.where(values > nominal[-1], 1, errors)
    )


def nominal_p(errors: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Return the p-values of the last look whose `repeated_p` are these errors: its inverse."""
    times = tuple(min(float(share), 1.0) for share in shares)
    if len(times) == 1:
        return errors * spent(times[0], 1.0)
    nominal = np.maximum(_nominal(times), 1e-300)
    found = np.exp(np.interp(np.log(np.maximum(errors, 1e-300)), np.log(_ERRORS), np.log(nominal)))
    return np.where(errors < _ERRORS[0], errors / _ERRORS[0] * nominal[0], found)


@cache
def _nominal(times: tuple[float, ...]) -> np.ndarray:
    """The nominal level of the last look for each of `_ERRORS`."""
    return np.maximum.accumulate([level(times, error) for error in _ERRORS])


@cache
def _levels(times: tuple[float, ...], error: float) -> float:
    """Nominal level of the last look, by integrating over the paths that no earlier look stopped.

    Armitage, McPherson and Rowe (1969), on the scale of a Brownian motion observed at `times`.
    """
    share = spent(np.array(times), error)
    first = -special.ndtri(share[0]) * np.sqrt(times[0])
    if len(times) == 1:
        return float(share[0])
    step, bound = np.sqrt(times[0]), first
    grid, density = np.zeros(1), np.ones(1)
    for place, time in enumerate(times):
        if place:
            step = np.sqrt(time - times[place - 1])
            bound = _bound(grid, density, step, share[place] - share[place - 1])
        if place + 1 < len(times):  # the density of the paths below the bound, times the weights
            after = np.linspace(-_REACH * np.sqrt(time), bound, _POINTS)
            away = (after[:, None] - grid) / step
            moved = np.exp(-0.5 * away**2) / (step * np.sqrt(2 * np.pi)) @ density
            grid, density = after, moved * _weights(after)
    return float(special.ndtr(-bound / np.sqrt(times[-1])))


def _bound(grid: np.ndarray, density: np.ndarray, step: float, error: float) -> float:
    """The bound that the paths exceed with this probability."""
    low, high = -_REACH, 2 * _REACH
    # Sixty halvings reach the precision of a double.
    for _ in range(60):
        middle = (low + high) / 2
        beyond = density @ special.ndtr((grid - middle) / step)
        low, high = (middle, high) if beyond > error else (low, middle)
    return (low + high) / 2


def _weights(grid: np.ndarray) -> np.ndarray:
    """Simpson's weights on an even grid of an odd number of points."""
    weights = np.full(len(grid), 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return weights * (grid[1] - grid[0]) / 3
