"""Between rows of pegs: a robot that turns jammed links gets farther than one that does not."""

from __future__ import annotations

import pushpoint as pp


def main() -> None:
    for name in ("liljeback2010/rows-no-resolution", "liljeback2010/rows"):
        recording = pp.simulate(name, duration=10.0)
        names = recording.events["name"].values.tolist()
        print(f"{name}: {recording.metrics()['distance']:.2f} m, {names.count('jam')} jams")


if __name__ == "__main__":
    main()
