"""The same scenario on two plants: how far apart are the paths of the middle link?"""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from pushpoint.analysis import measures

DURATION = 3.0  # [s]; recording every step makes the MuJoCo plant slower than MuJoCo itself


def main() -> None:
    for name in ("transeth2008a/track", "transeth2008a/flat"):
        ours = pp.simulate(name, duration=DURATION)
        other = pp.simulate(name, plant="mujoco", duration=DURATION)
        apart = measures["rms_between"](other, ours, link=5)
        forces = [float(np.abs(run.data["contact_force"]).sum()) for run in (ours, other)]
        ratio = f"{forces[1] / forces[0]:.4f}" if forces[0] else "no contacts"
        print(f"{name}: link 5 is {1e3 * apart:.3f} mm rms apart; ratio of summed contact forces: {ratio}")


if __name__ == "__main__":
    main()
