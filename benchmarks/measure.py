"""Measure everything, or one part, in one process."""

from __future__ import annotations

from benchmarks import planar, spatial
from benchmarks.alignment import alignment
from benchmarks.case import Case, Say
from benchmarks.contest import Contest, contest
from benchmarks.creep import creep
from benchmarks.crowd import crowd
from benchmarks.growth import growth
from benchmarks.hybrid import hybrid
from benchmarks.many import many
from benchmarks.processes import memory, startup
from benchmarks.result import Benchmark
from pushpoint.errors import InvalidInput


def measure(part: str, say: Say) -> Benchmark:
    """One measurement after the other, as each of them needs a processor alone."""
    refuse_without_compiler()
    plane, space = part != "spatial", part != "planar"
    rooms = [room for room, wanted in ((planar, plane), (spatial, space)) if wanted]
    contests = tuple(compared(case, say) for room in rooms for case in room.contests())
    return Benchmark(
        contests=contests,
        growth=tuple(found for room in rooms for found in growth(room.GROWTH, room.GROWTH_ROUNDS, say)),
        crowd=crowd(say) if plane else None,
        many=many(say, contests) if plane else None,
        memory=tuple(memory(room.MEMORY, say) for room in rooms),
        hybrid=hybrid(say) if plane else None,
        alignment=alignment(say) if space else None,
        startup=startup(say) if plane else None,
    )


def compared(case: Case, say: Say) -> Contest:
    return creep(case, say) if case.creeps else contest(case, say)


def refuse_without_compiler() -> None:
    """Times of interpreted kernels mean nothing."""
    import numba

    if numba.config.DISABLE_JIT:
        raise InvalidInput("NUMBA_DISABLE_JIT = 1: benchmarks need compiled kernels; unset it")
