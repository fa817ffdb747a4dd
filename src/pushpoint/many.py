"""Many runs at once, recorded: see `simulate_many`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pushpoint._interrupts import noted, number_of
from pushpoint._many_runs import ManyRuns
from pushpoint.errors import Interrupted, InvalidInput, SolverFailure
from pushpoint.plants._many import Threads
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import Source, find_scenario
from pushpoint.user_code import load_code


def simulate_many(
    scenarios: Source | Scenario | Sequence[Source | Scenario],
    overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    seeds: Sequence[int] | None = None,
    threads: int | None = None,
    on_failure: Literal["keep", "raise"] = "keep",
    code: Iterable[Source] = (),
    **fields: Any,
) -> list[Recording]:
    """Run many scenarios on threads of this process and record them.

    Each recording is equal to the bit to that of `simulate`. Compiled plants whose commands are known ahead, or whose
    controller is compiled, run on all threads; controllers in Python and other plants run one after the other.

    Parameters
    ----------
    scenarios
        A registered name, a path to a .yaml or .json file, a `Scenario`, or a sequence of these. They may differ in
        everything.
    overrides
        Values by dotted key: one mapping for all runs, or a sequence with one for each.
    seeds
        One for each run.
    threads
        How many at once; default: as many as there are processors.
    on_failure
        "keep": a plant that cannot go on ends its run alone; `Recording.failure` says why. "raise": an error, once all
        runs are over.
    code
        Paths of Python files to load first, as by `load_code`.
    **fields
        Fields of the scenarios to replace, such as ``duration=5.0`` [s].

    Returns
    -------
    list[Recording]
        One per run, in the order of what was given.

    Raises
    ------
    InvalidInput
        If something cannot be used; the message names it.
    SolverFailure
        With on_failure = "raise", the first one.
    Interrupted
        After Ctrl-C, with the `recordings` until then.

    Examples
    --------
    >>> runs = pp.simulate_many("transeth2008a/flat", [{"controller.amplitude": a} for a in (0.4, 0.6)], duration=0.1)
    >>> [run.data.sizes["time"] for run in runs]
    [11, 11]
    """
    for path in code:
        load_code(path)
    if on_failure not in ("keep", "raise"):
        raise InvalidInput(f"on_failure = {on_failure!r}: should be 'keep' or 'raise'")
    many = ManyRuns(scenarios_of(scenarios, overrides, seeds, fields), Threads(threads))
    with noted() as many.stop:
        try:
            many.run()
        except KeyboardInterrupt as stop:  # in code of users
            many.stop.signal = number_of(stop)
        finally:
            many.threads.close()
    if many.stop.signal is not None:
        done = sum(found is not None for found in many.recordings)
        words = f"interrupted: {done} of {len(many.recordings)} runs had begun"
        raise Interrupted(words, None, many.stop.signal, many.recordings)
    found = [recording for recording in many.recordings if recording is not None]
    if on_failure == "raise":
        for message, recording in zip(many.messages, found, strict=True):
            if message:
                raise SolverFailure(message, recording)
    return found


def scenarios_of(
    scenarios: Source | Scenario | Sequence[Source | Scenario],
    overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    seeds: Sequence[int] | None,
    fields: Mapping[str, Any],
) -> list[Scenario]:
    """One scenario per robot; what is given once holds for all."""
    found = list(scenarios) if isinstance(scenarios, Sequence) and not isinstance(scenarios, str) else [scenarios]
    changes = [overrides or {}] if overrides is None or isinstance(overrides, Mapping) else list(overrides)
    seeded: list[dict[str, Any]] = [{}] if seeds is None else [{"seed": int(seed)} for seed in seeds]
    counts = {"scenarios": len(found), "overrides": len(changes), "seeds": len(seeded)}
    count = max(counts.values())
    for name, own in counts.items():
        if own == 0:
            raise InvalidInput(f"{name}: there are none; give one at least")
        if own not in (1, count):
            largest = next(other for other, number in counts.items() if number == count)
            raise InvalidInput(f"{own} {name} and {count} {largest}: give one for all robots, or as many")
    bases = [find_scenario(one) for one in found]
    return [
        bases[k % len(bases)]
        .with_overrides({**changes[k % len(changes)], **fields, **seeded[k % len(seeded)]})
        .pinned()
        for k in range(count)
    ]
