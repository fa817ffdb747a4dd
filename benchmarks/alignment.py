"""How long does one alignment of a virtual snake robot take, beside a loop whose work never changes?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from benchmarks.case import Say
from benchmarks.requirement import Requirement, required
from benchmarks.timing import interleaved_best
from pushpoint._jit import entry_point
from pushpoint.robots import robots
from pushpoint.shapes import GaitSegment, ShapeCurve, virtual_snake
from pushpoint.shapes.alignments import Settings, new_laid, new_memory
from pushpoint.shapes.alignments.look_ahead import lay

ROBOT = "square-17"  # 16 joints
LOOK_AHEAD = 0.16  # [m], P3
CYCLES, HEAD = 4, 20.3
LOOPS = 10_000
ROUNDS = 300
LARGEST_US = 60.0  # per call


@dataclass(frozen=True)
class Alignment:
    """Best times of interleaved rounds."""

    joints: int
    call_us: float  # one alignment, called from Python
    calibration_us: float  # the loop: what this machine does of LOOPS dependent multiplications and additions

    @property
    def requirements(self) -> list[Requirement]:
        loop = f"a fixed loop taking {self.calibration_us:.3g}"
        what = f"shape curves: one alignment of {self.joints} joints in us, {loop}"
        return [required(what, self.call_us, "<=", LARGEST_US)]


# The cache folder is named after the sources of the package, and this file is none of them. Numba itself notices edits
# in the file of the function, which is enough for one that calls no other function of this folder.
@entry_point
def _calibration(loops: int) -> float:
    x = 0.5
    for _ in range(loops):
        x = 3.7 * x * (1.0 - x)  # chaotic: no compiler can shorten it
    return x


def alignment(say: Say) -> Alignment:
    """Along P3's curve of sidewinding."""
    say("alignment of a virtual snake robot along a shape curve")
    segment = GaitSegment.of_function(lambda b: (0.952 * b / math.tau, 0.24 * math.sin(b), 0.0267 * math.cos(b)))
    curve, snake = ShapeCurve(segment.repeated(CYCLES)).curve, virtual_snake(robots[ROBOT]())
    settings = Settings(HEAD, 0.0, LOOK_AHEAD, math.inf)
    jobs = (
        partial(lay, curve, snake, settings, new_memory(snake.joints), new_laid(snake.joints)),
        partial(_calibration, LOOPS),
    )
    call, loop = interleaved_best(jobs, ROUNDS)
    return Alignment(snake.joints, 1e6 * call, 1e6 * loop)
