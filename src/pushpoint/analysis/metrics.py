"""A run in twenty plain numbers: measures without options, which `Recording.metrics()` returns by name.

Numbers of steps are zero in files that do not have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import M, measure
from pushpoint.tape import LEDGER
from pushpoint.types import FloatArray, IntArray, Repeated, Status

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

_names: list[str] = []
_names_of_solver: list[str] = []


def metric(unit: str = "", *, of_solver: bool = False) -> Callable[[M], M]:
    """Decorator: a measure that `Recording.metrics()` returns too, in the order of this file."""

    def add(function: M) -> M:
        for names in (_names, _names_of_solver) if of_solver else (_names,):
            names.append(function.__name__)
        return measure(unit)(function)

    return add


# --- motion ---


@metric("s")
def duration(run: Recording) -> float:
    """Simulated time."""
    time = run.data["time"].values
    return float(time[-1] - time[0])


@metric("m")
def distance(run: Recording) -> float:
    """Straight distance from the first to the last place of the centre of mass."""
    return math.hypot(*_moved(run))


@metric("m")
def path_length(run: Recording) -> float:
    """Length of the path of the centre of mass."""
    centre = run.data["centre_of_mass"].values
    return float(np.linalg.norm(np.diff(centre, axis=0), axis=1).sum())


@metric("m/s")
def mean_speed_x(run: Recording) -> float:
    """Mean velocity of the centre of mass along x."""
    return _mean_speed(run, 0)


@metric("m/s")
def mean_speed_y(run: Recording) -> float:
    """Mean velocity of the centre of mass along y."""
    return _mean_speed(run, 1)


@metric("m")
def middle_link_displacement(run: Recording) -> float:
    """Straight distance from the first to the last place of the middle link."""
    return math.hypot(*_middle_moved(run))


@metric("m")
def middle_link_displacement_x(run: Recording) -> float:
    """Displacement of the middle link along x."""
    return float(_middle_moved(run)[0])


@metric("m")
def middle_link_displacement_y(run: Recording) -> float:
    """Displacement of the middle link along y."""
    return float(_middle_moved(run)[1])


def _moved(run: Recording) -> FloatArray:
    centre = run.data["centre_of_mass"].values
    return np.asarray(centre[-1] - centre[0])


def _mean_speed(run: Recording, axis: int) -> float:
    time = duration(run)
    return float(_moved(run)[axis] / time) if time else 0.0


def _middle_moved(run: Recording) -> FloatArray:
    middle = run.data["link_position"].values[:, run.data.sizes["link"] // 2]
    return np.asarray(middle[-1] - middle[0])


# --- steps of the solver ---


@metric(of_solver=True)
def max_residual(run: Recording) -> float:
    """Largest relative residual of any step."""
    return float(run.data["step_residual"].values.max(initial=0.0))


@metric(of_solver=True)
def mean_iterations(run: Recording) -> float:
    """Iterations of the solver per step, in the mean."""
    iterations = run.data["step_iterations"].values
    return float(iterations.mean()) if iterations.size else 0.0


@metric(of_solver=True)
def repeated_steps(run: Recording) -> float:
    """Steps that were repeated in parts."""
    return float((_of_steps(run, "step_reasons") > 0).sum())


@metric(of_solver=True)
def fallback_steps(run: Recording) -> float:
    """Repeated steps that needed a slower solver."""
    return float((_of_steps(run, "step_fallbacks") > 0).sum())


@metric(of_solver=True)
def loose_steps(run: Recording) -> float:
    """Repeated steps that ended above the tolerance."""
    return float((_of_steps(run, "step_reasons") & Repeated.LOOSE > 0).sum())


@metric(of_solver=True)
def accepted_steps(run: Recording) -> float:
    """Steps that were not solved to the tolerance, by far, but accepted (`plant.on_failure`)."""
    return float((_of_steps(run, "step_status") == Status.ACCEPTED).sum())


@metric("J", of_solver=True)
def guard_work(run: Recording) -> float:
    """Energy that the energy guard took."""
    return float(_of_steps(run, "step_guard_work").sum())


def _of_steps(run: Recording, name: str) -> IntArray:
    return np.asarray(run.data[name].values if name in run.data else np.zeros_like(run.data["step_iterations"].values))


@metric()
def energy_closure_error(run: Recording) -> float:
    """Largest gap between kinetic energy and the works that changed it, relative to their size."""
    works = [*LEDGER, "gravity_work"]  # the latter only in space
    ledger = np.stack([run.data[name].values for name in works if name in run.data])
    ledger_change = ledger - ledger[:, :1]
    kinetic, done = ledger_change[0], ledger_change[1:]
    scale = ledger[0].max() + np.abs(done).max(axis=1).sum()
    return float(np.abs(kinetic - done.sum(axis=0)).max() / scale) if scale > 0 else 0.0


# --- loads, and the machine ---


@metric("N")
def peak_contact_force(run: Recording) -> float:
    """Largest force in the contact table."""
    return float(np.linalg.norm(run.contacts["force"].values, axis=1).max(initial=0.0))


@metric("N m")
def peak_joint_torque(run: Recording) -> float:
    """Largest joint torque, as means from row to row."""
    return float(np.abs(run.data["joint_torque"].values).max(initial=0.0))


@metric()
def contacts(run: Recording) -> float:
    """Lines of the contact table."""
    return float(run.contacts.sizes["contact"])


@metric()
def real_time_factor(run: Recording) -> float:
    """Simulated time over the time that the simulation took; zero if that is not known."""
    return duration(run) / run.wall_time_s if run.wall_time_s else 0.0


METRICS = tuple(_names)
SOLVER_METRICS = tuple(_names_of_solver)  # also attributes of files
