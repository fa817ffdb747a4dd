"""What to try when MuJoCo stops."""

from __future__ import annotations

from pushpoint.types import Status

ADVICE = {
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "MuJoCo's memory for contacts is full; thin out the obstacles around the robot",
}
