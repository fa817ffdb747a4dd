"""Ground, contacts and joints of planar_stepping are extended independently, and change nothing where they add nothing.

All eight variants, as Python: `make test` compiles at most four of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

EIGHT = """
import itertools, json
import numpy as np
import pushpoint as pp
from pushpoint.scenarios import scenarios
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.simulation import Setup
from pushpoint.tape import new_tape
from pushpoint.worlds import Patch

setup = Setup.of(scenarios["transeth2008a/track"].with_overrides({"plant.dt": 5e-3, "duration": 0.1}))
pose, commands = setup.start_pose(), setup.controller.table(0.005 * np.arange(20.0))
far = Patch(friction=0.5, viscous=1.0, x_min=90.0, x_max=91.0, y_min=90.0, y_max=91.0)  # nobody comes to it
ground = setup.world.ground.model_copy(update={"patches": (far,)})
stops = (pp.Joint(lower=-3.0, upper=3.0),) * (len(setup.robot.links) - 1)  # never reached
worlds = (setup.world, setup.world.model_copy(update={"ground": ground}))
robots = (setup.robot, setup.robot.model_copy(update={"joints": stops}))
names, ends = [], []
for world, touching, robot in itertools.product(worlds, ("auto", True), robots):
    options = PlanarStepping.Options(dt=5e-3, self_contact=touching)
    plant = PlanarStepping.build(robot, world, robot.servo, options)
    state, tape = plant.initial_state(pose), new_tape(len(robot.links), 21, 20, 1)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, commands, 1, tape)
    assert failure is None
    names.append(plant._usual.name)
    ends.append(tape.link[-1, :, :2].tolist())
print(json.dumps([names, ends]))
"""


def test_all_variants_agree_where_they_add_nothing() -> None:
    interpreted = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", EIGHT], capture_output=True, text=True, env=interpreted, check=False)
    assert run.returncode == 0, run.stderr
    names, ends = json.loads(run.stdout.splitlines()[-1])
    assert len(set(names)) == 8
    # Both variants of a law agree where one contains the other; steps are solved to 1e-8 of the fastest speed.
    assert np.abs(np.array(ends) - ends[0]).max() <= 1e-9
