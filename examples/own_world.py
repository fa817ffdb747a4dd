"""Worlds of one's own: an avenue of pegs in one function, and the same pegs from a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

import pushpoint as pp
from pushpoint.quantities import FrictionCoefficient, Length, Obstacles
from pushpoint.worlds import Disc, Ground, World, worlds

FOLDER = Path("results/examples")


@worlds.register("avenue")
def avenue(
    width: Length = 0.5, spacing: Length = 0.3, pegs: Obstacles = 8, friction: FrictionCoefficient = 0.2
) -> World:
    """Two rows of pegs `width` [m] apart, `spacing` [m] from peg to peg; the left row is shifted by half of it."""
    discs = [Disc(x=k * spacing, y=-width / 2, radius=0.05) for k in range(pegs)]
    discs += [Disc(x=(k + 0.5) * spacing, y=width / 2, radius=0.05) for k in range(pegs)]
    return World(name="avenue", ground=Ground(friction=friction), obstacles=tuple(discs), source="example")


def run_in(world: object, name: str) -> pp.Recording:
    """Two seconds of undulation in a world, given by name and options."""
    scenario = pp.Scenario.parse(
        {
            "name": name,
            "robot": {"name": "uniform", "options": {"links": 12, "length": 0.1, "radius": 0.03}},
            "world": world,
            "controller": {
                "name": "serpenoid",
                "options": {"amplitude": 0.5, "frequency": 3.0, "phase_shift": -0.6},
            },
            "start": {"position": [1.0, 0.0]},
            "duration": 2.0,
        }
    )
    return pp.simulate(scenario)


def main() -> None:
    recording = run_in({"name": "avenue", "options": {"width": 0.56}}, "lab/avenue")
    print(f"avenue: {recording.metrics()['distance']:.4f} m, {recording.contacts.sizes['contact']} contacts")

    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "pegs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x_m", "y_m", "radius_m"])
        writer.writerows((d.x, d.y, d.radius) for d in recording.scenario.built_world().obstacles)
    same = run_in({"name": "csv", "options": {"path": str(FOLDER / "pegs.csv")}}, "lab/avenue-csv")
    print(f"from CSV: {same.metrics()['distance']:.4f} m, {same.contacts.sizes['contact']} contacts")


if __name__ == "__main__":
    main()
