"""What a run leaves: room for its rows, its recording, and the checkpoint to go on from."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from pushpoint import limits
from pushpoint.control import ControlEvent
from pushpoint.errors import InvalidInput
from pushpoint.recording import Checkpoint, Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set, known_set
from pushpoint.recording.checkpoint import LastRow
from pushpoint.simulation import _user_results
from pushpoint.tape import Tape, new_tape, tape_bytes
from pushpoint.types import Failure, FloatArray
from pushpoint.user_code import loaded_files

if TYPE_CHECKING:
    from pushpoint.simulation.run import Run
    from pushpoint.simulation.setup import Setup

STOPPED = "stop"  # name of the event that says why a run ended before its duration


def refuse_large(setup: Setup, rows: int, ticks: int) -> None:
    """Runs whose recording would not fit into memory, before any of it is asked for."""
    needed = tape_bytes(setup.bodies, rows, ticks * setup.substeps, setup.plant.dimensions) + 8 * rows * setup.joints
    if needed > limits.RECORDED_BYTES:
        raise InvalidInput(
            f"duration = {setup.scenario.duration:g} s makes {ticks} ticks of control_period = "
            f"{setup.scenario.control_period:g} s, {ticks * setup.substeps} steps and {rows} rows: {needed / 1e9:.3g} "
            f"GB of memory; should be {limits.RECORDED_BYTES / 1e9:.3g} GB at most"
        )


def new_room(setup: Setup, rows: int, ticks: int) -> tuple[Tape, FloatArray]:
    """An empty tape, and room for the references at its rows."""
    refuse_large(setup, rows, ticks)
    steps, dimensions = ticks * setup.substeps, setup.plant.dimensions
    extra = len(setup.plant.extra_columns)
    tape = new_tape(setup.bodies, rows, steps, setup.ticks_per_row, dimensions=dimensions, extra=extra)
    return tape, np.zeros((rows, setup.joints))


def recording_of(run: Run, failure: Failure | None, resumable: bool) -> Recording:
    """What was recorded until now, with a checkpoint if the run can go on from here."""
    rows, steps = int(run.tape.cursor[0].row), int(run.tape.cursor[0].step)
    ticks = _row_ticks(run, rows)
    times = RunClock(
        row_time=ticks * run.setup.scenario.control_period,
        step_time=(run.first_tick * run.setup.substeps + np.arange(1.0, steps + 1)) * run.setup.plant.dt,
    )
    plant = run.setup.plant
    plant.complete(run.tape)
    events = sorted([*run.events, *plant.events(run.tape)], key=itemgetter(0))
    if failure is not None and run.setup.ends_by_failure:
        events.append(ControlEvent(failure.time, STOPPED, run.message(failure)))
    extra = dict(zip(plant.extra_columns, run.tape.extra[:rows].T, strict=True))
    return Recording(
        data=data_set(run.setup.robot, run.tape, times, run.reference[:rows], run.setup.movable, extra),
        contacts=contact_set(run.tape, times.row_time, len(run.setup.robot.links)),
        events=event_set(events),
        scenario=run.setup.scenario,
        failure=None if failure is None else {**asdict(failure), "status": failure.status.name},
        wall_time_s=run.wall_time_s,
        code=loaded_files(),
        known=known_set(run.known),
        _checkpoint=_checkpoint_of(run) if failure is None and resumable else None,
    )


def _row_ticks(run: Run, rows: int) -> np.ndarray:
    """At which ticks, counted from t = 0, the rows were written."""
    every = run.setup.ticks_per_row
    later = run.first_tick - run.ticks_since_row + every * np.arange(1, rows, dtype=np.int64)
    return np.concatenate([[run.first_tick], later])


def _checkpoint_of(run: Run) -> Checkpoint:
    _user_results.check_state(run.setup.scenario.controller.name, run.parts.controller)
    since_row = int(run.tape.cursor[0].ticks)
    return Checkpoint(
        scenario=run.setup.scenario,
        tick=run.first_tick + run.done,
        ticks_since_row=since_row,
        plant=run.setup.plant.dump(run.parts.plant),
        controller=deepcopy(run.parts.controller),
        sensors=deepcopy(run.parts.sensors),
        reference=run.last_reference,
        last_row=_last_row(run) if since_row == 0 else None,
        made_for=run.setup.made_for,
        code=loaded_files(),
    )


def _last_row(run: Run) -> LastRow:
    row = int(run.tape.cursor[0].row) - 1
    contact = run.tape.contact[: run.tape.cursor[0].contact]
    contact = contact[contact[:, 0] == row]  # a copy
    contact[:, 0] = 0.0  # it is row 0 of the part that continues
    link, energy, extra = (part[row].copy() for part in (run.tape.link, run.tape.energy, run.tape.extra))
    return LastRow(link, energy, contact, extra)
