"""A robot of six round links."""

from __future__ import annotations

import pushpoint as pp


@pp.register_robot("worm")
def worm(links: int = 6) -> pp.Robot:
    """Short links, soft servos."""
    link = pp.Link(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    return pp.Robot(name="worm", links=(link,) * links, servo=pp.Servo(stiffness=40.0, damping=0.4))
