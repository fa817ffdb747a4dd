"""Checks of states that come from files, before MuJoCo sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits, restored
from pushpoint.plants.mujoco.model import Params
from pushpoint.plants.mujoco.spatial_model import SpatialParams

PAIRS = ("pair_key", "pair")  # a row for each pair that touched


def planar_limits(params: Params) -> Limits:
    return {
        "steps": Limit(0, MOST_COUNT),
        "pair_key.0": Limit(0, len(params.mass) - 1),
        "pair_key.1": Limit(0, len(params.disc) - 1),
    }


def spatial_limits(params: SpatialParams) -> Limits:
    return {
        "steps": Limit(0, MOST_COUNT),
        "pair_key.0": Limit(0, len(params.mass) - 1),
        "pair_key.1": Limit(-1, int(params.geom_obstacle.max(initial=-1))),
        "pair_key.2": Limit(0, len(params.geom_obstacle) - 1),
        "pair_key.3": Limit(0, 1),
    }


def restored_mujoco(arrays: Mapping[str, Any], template: Mapping[str, np.ndarray], limits: Limits) -> dict[str, Any]:
    physics, size = np.size(arrays.get("physics", template["physics"])), template["physics"].size
    if physics != size:
        raise InvalidInput(f"the checkpoint holds {physics} numbers of MuJoCo; this model and version have {size}")
    found = restored("state of mujoco", arrays, template, limits, growing=PAIRS)
    if len(found["pair_key"]) != len(found["pair"]):
        raise InvalidInput("state of mujoco: arrays 'pair_key' and 'pair' have different numbers of rows")
    return found
