"""How much of anything is taken. What is more is refused in one line, before memory is asked for.

The limits are far beyond what robots and courses need: they separate large inputs from mistaken or hostile ones. The
same table stands in docs/reference/limits.md, and a test compares the two.
"""

from __future__ import annotations

from typing import Final

# Robots and worlds
LINKS: Final = 10_000
OBSTACLES: Final = 100_000
MOVABLE: Final = 1_000  # obstacles that can be pushed about: every pair of them may touch
POINTS: Final = 10_000  # of a wall, a polygon, a profile, a path, a curve, a schedule
PATCHES: Final = 1_000  # of the ground
RELIEF: Final = 1_000.0  # [m], from the lowest to the highest point of a terrain
HEIGHTS: Final = 100_000  # of a height field
DARTS: Final = 100_000  # throws for a random world
DART_CHECKS: Final = 10_000_000  # throws times pieces of the line that is kept clear

# Runs
STEPS: Final = 10**9  # of a plant in a tick, ticks in a run
RECORDED_BYTES: Final = 4 * 1024**3  # of rows and steps of one run
PAIR_BYTES: Final = 2 * 1024**3  # of links and obstacles that may touch, in one plant
HYBRID_LINKS: Final = 2_000  # planar_hybrid has a full matrix of contacts
REMEMBERED_TICKS: Final = 1_000_000  # by the controllers that resolve jams
LATENCY_TICKS: Final = 10_000  # of what controllers sense
ITERATIONS: Final = 10_000_000  # of a solver in one step
TABLE_ROWS: Final = 1_000_000  # of a controller's table
PATH_LENGTH: Final = 1_000.0  # [m], of a path that a controller follows
PATH_SAMPLES: Final = 1_000_000  # of such a path
PATH_TABLE: Final = 5_000_000  # numbers in the table of a robot on its path
CURVE_POINTS: Final = 20_000  # of a repeated curve, under the robot
CURVE_POINTS_PER_TICK: Final = 1_000  # by which it grows

# Studies
RUNS: Final = 1_000_000  # seeds times variants
MEASURES: Final = 1_000
PROCESSES: Final = 1_000
SEED: Final = 2**63 - 1

# Files and text
CACHE_BYTES: Final = 2 * 1024**3  # of results that are kept; the oldest are removed
FILE_BYTES: Final = 10 * 1024**2  # of a scenario, a study, a table of obstacles
RUNS_FILE_BYTES: Final = 1024**3  # of the runs of a study
YAML_VALUES: Final = 250_000  # after aliases are written out
JSON_VALUES: Final = 2_000_000
DEPTH: Final = 50  # lists and mappings inside each other
DIGITS: Final = 40  # of a whole number
KEY_LENGTH: Final = 200  # [characters]
NAME_LENGTH: Final = 200  # [characters]
PATH_CHARACTERS: Final = 4_096  # of the path of a file in a scenario
CODE_FILES: Final = 100  # that a scenario goes with
