"""One scenario, one parameter changed at a time: how far does the robot get on rougher ground?"""

from __future__ import annotations

import pushpoint as pp

FRICTIONS = (0.1, 0.2, 0.4)


def main() -> None:
    for friction in FRICTIONS:
        recording = pp.simulate("transeth2008a/track", {"world.ground.friction": friction}, duration=5.0)
        metrics = recording.metrics()
        work = float(recording.data["servo_work"][-1])
        print(f"friction {friction}: {metrics['distance']:.3f} m in 5 s, servos did {work:.1f} J of work")


if __name__ == "__main__":
    main()
