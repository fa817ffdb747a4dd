"""Between rows of pegs: a robot that turns jammed links gets farther than one that leaves them alone."""

from __future__ import annotations

import pushpoint as pp


def main() -> None:
    for name in ("liljeback2010/rows-no-resolution", "liljeback2010/rows"):
        recording = pp.simulate(name, duration=10.0)
        events = recording.events["name"].values.tolist()
        jams, resolved = events.count("jam"), events.count("resolution")
        print(f"{name}: {recording.metrics()['distance']:.1f} m, {jams} jams, {resolved} resolved")


if __name__ == "__main__":
    main()
