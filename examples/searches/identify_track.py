"""Friction and delay of the real robot, from the path of its middle link that P2 measured (Fig. 14).

The search looks for the ground friction and the delay of the start that bring `transeth2008a/track-as-built` nearest to
the measured curve. How sure are they? The curve has few independent points, as what moves the robot aside lasts for
seconds: blocks of neighbouring points are drawn again and again, and the best trial is looked up for each draw.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp
from pushpoint.analysis import Curve
from pushpoint.reproduction.published import curve

MEASURED = curve("transeth2008a/fig14-measured")
MIDDLE, END = 5, 10.0
BLOCK = 2.0  # [s], of neighbouring points that are drawn together
DRAWS = 2000
SHARE = 0.9  # of the draws within an interval


def errors(run: pp.Recording, measured: Curve = MEASURED) -> np.ndarray:
    """Squared distances [m2] of the middle link from the measured points until END, at their times."""
    points = measured.time <= END
    time = run.data["time"].values
    place = run.data["link_position"].sel(link=MIDDLE).values
    off = [
        np.interp(measured.time[points], time, place[:, k]) - values[points]
        for k, values in enumerate((measured.x, measured.y))
    ]
    return np.square(off).sum(axis=0)


@pp.register_measure("m")
def distance_from_robot(run: pp.Recording) -> float:
    """Root mean square distance [m] of the middle link from that of the real robot."""
    return float(np.sqrt(errors(run).mean()))


def identify(trials: int = 300) -> pp.Search:
    return pp.Search(
        scenario="transeth2008a/track-as-built",
        vary={"world.friction": [0.05, 1.2], "controller.start_delay": [0.0, 0.6]},
        aims=[{"measure": "distance_from_robot", "want": "least"}],
        trials=trials,
    )


def intervals(found: pp.search.Found) -> dict[str, tuple[float, float]]:
    """Of each value, from the best trials of many draws of blocks of points."""
    runs = pp.simulate_many([found.scenario(trial) for trial in found.done])
    table = np.array([errors(run) for run in runs])  # trials, points
    times = MEASURED.time[MEASURED.time <= END]
    blocks = np.floor(times / BLOCK).astype(int)
    draw = np.random.default_rng(0)
    drawn = draw.integers(0, blocks.max() + 1, (DRAWS, blocks.max() + 1))
    per_block = np.array([table[:, blocks == b].sum(axis=1) for b in range(blocks.max() + 1)])  # blocks, trials
    best = per_block[drawn].sum(axis=1).argmin(axis=1)
    ends = (50 * (1 - SHARE), 50 * (1 + SHARE))
    return {
        key: tuple(np.percentile([found.done[k].values[key] for k in best], ends).round(3).tolist())
        for key in found.search.vary
    }


def figure(found: pp.search.Found, folder: Path) -> None:
    """Distance from the robot over time, and of all trials."""
    sheet, (over_time, over_values) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for label, scenario in (("as built", "transeth2008a/track-as-built"), ("identified", found.scenario())):
        off = 100 * np.sqrt(errors(pp.simulate(scenario)))
        over_time.plot(MEASURED.time[MEASURED.time <= END], off, label=label)
    over_time.set(xlabel="time [s]", ylabel="distance from the robot [cm]", ylim=(0, None))
    over_time.legend()
    values = np.array([list(trial.values.values()) for trial in found.done])
    dots = over_values.scatter(*values.T, c=[100 * trial.aims[0] for trial in found.done], s=12, cmap="viridis_r")
    over_values.set(xlabel="ground friction", ylabel="delay of the start [s]")
    sheet.colorbar(dots, label="rms distance [cm]")
    sheet.savefig(folder / "identified.png", dpi=160)


def main(folder: str | None = None) -> None:
    before = distance_from_robot(pp.simulate("transeth2008a/track-as-built"))
    found = pp.run_search(identify(), folder)
    if folder is not None:
        figure(found, Path(folder))
    print(f"as built, with the middle of what P2 names: {100 * before:.2f} cm from the robot")
    print(f"identified: {100 * found.best.aims[0]:.2f} cm")
    for key, (low, high) in intervals(found).items():
        print(f"  {key} = {found.best.values[key]:.3f}, in {100 * SHARE:g} % of draws {low} to {high}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
