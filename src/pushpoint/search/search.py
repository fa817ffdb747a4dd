"""One search as data: a scenario, what may vary, what is wanted, how many trials; to and from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from pushpoint import limits
from pushpoint.fields import Frozen, Name, Number
from pushpoint.plain_data import read_yaml, yaml_text
from pushpoint.quantities import Seed
from pushpoint.scenario import AS_WRITTEN, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.studies.study import Measurement, Overrides, counted_or_listed, registered_or_whole

Value = float | int | bool | str
MOST = "most"  # direction of an aim


class Range(Frozen):
    """Values that one field may have: from `low` to `high`, both included, or one of `choices`.

    ``[0.2, 0.9]`` is short for ``{low: 0.2, high: 0.9}``.
    """

    low: Number | None = None  # in the unit of the field
    high: Number | None = None  # both belong to the range
    log: bool = False  # whether factors matter rather than differences
    whole: bool = False  # only whole numbers
    choices: Annotated[tuple[Value, ...], Field(max_length=limits.MEASURES)] = ()  # of anything, without an order

    @model_validator(mode="before")
    @classmethod
    def _pair(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            if len(value) != 2:
                raise ValueError("should be [low, high], or {choices: [...]}")
            return {"low": value[0], "high": value[1]}
        return value

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.choices:
            if self.low is not None or self.high is not None or self.log or self.whole:
                raise ValueError("should have either choices, or low and high")
            if len(set(map(repr, self.choices))) < len(self.choices):
                raise ValueError("choices: each should be given once")
            return self
        if self.low is None or self.high is None:
            raise ValueError("should have low and high, or choices")
        if not self.low < self.high:
            raise ValueError(f"low = {self.low:g} should be less than high = {self.high:g}")
        if self.log and self.low <= 0.0:
            raise ValueError(f"low = {self.low:g}: should be positive where factors matter (log)")
        if self.whole and not (self.low.is_integer() and self.high.is_integer()):
            raise ValueError("low and high should be whole numbers")
        return self

    def ends(self) -> tuple[Value, ...]:
        """The extreme values, or all choices: what is tried before anything is searched."""
        if self.choices:
            return self.choices
        assert self.low is not None
        assert self.high is not None
        return (int(self.low), int(self.high)) if self.whole else (self.low, self.high)


class Aim(Frozen):
    """A number that should be as large or as small as possible: the mean of a measure over all seeds or, with `beyond`,
    the share of the runs in which the measure is larger than that."""

    measure: Name  # a registered one
    options: dict[str, Any] = Field(default_factory=dict)  # of the measure, by name
    want: Literal["most", "least"] = "most"  # whether it should be large or small
    beyond: Number | None = None  # in the unit of the measure
    label: str = ""  # default: the name of the measure

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        self.options.update(self.measurement.options)  # as the measure wants them
        return self

    @property
    def measurement(self) -> Measurement:
        """What is measured of every run."""
        return Measurement(name=self.measure, options=dict(self.options), label=self.name)

    @property
    def name(self) -> str:
        """Of its column."""
        return self.label or self.measure

    def value(self, numbers: list[float]) -> float:
        """Of a trial, from the numbers of its runs.

        Parameters
        ----------
        numbers
            What was measured of each run.
        """
        if self.beyond is not None:
            numbers = [float(number > self.beyond) for number in numbers]
        return sum(numbers) / len(numbers)


class Search(Frozen):
    """Trials of a scenario with values that Optuna proposes, in order to meet one or several aims.

    Examples
    --------
    >>> search = pp.Search(
    ...     scenario="transeth2008a/flat",
    ...     vary={"controller.amplitude": [0.2, 0.9]},
    ...     aims=[{"measure": "distance"}],
    ...     trials=20,
    ... )
    >>> search.scenario_of({"controller.amplitude": 0.5}, seed=0).controller.options["amplitude"]
    0.5
    """

    scenario: Name | Scenario  # a registered one by name, or one in full
    vary: Annotated[dict[Name, Range], Field(min_length=1)]  # by dotted key
    aims: Annotated[tuple[Aim, ...], Field(min_length=1, max_length=limits.MEASURES)]  # the first one decides on `best`
    first: Annotated[tuple[dict[Name, Value], ...], Field(max_length=limits.MEASURES)] = ()  # values to begin with
    overrides: Overrides = Field(default_factory=dict)  # of all runs, by dotted key
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (0,)  # n: 0 to n - 1; each trial runs with all of them
    trials: Annotated[int, Field(ge=1, le=limits.RUNS)] = 100  # in all, also over several calls
    sampler: Literal["tpe", "random", "sobol", "cma-es", "nsga2"] = "tpe"  # of Optuna
    prune: bool = False  # end trials after some seeds that are worse than the median of others then; one aim only
    seed: Seed = 0  # of the sampler

    _scenario_is_known = field_validator("scenario", mode="before")(registered_or_whole)
    _seeds_may_be_counted = field_validator("seeds", mode="before")(counted_or_listed)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [aim.name for aim in self.aims]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"aims: {name!r} is there twice; give each a label")
        if self.prune and len(self.aims) > 1:
            raise ValueError("prune: trials with several aims cannot be compared before their end")
        if self.prune and len(self.seeds) < 2:
            raise ValueError("prune: trials end after some of their seeds, so that there have to be several")
        if len(self.aims) > 1 and self.sampler == "cma-es":
            raise ValueError("sampler: 'cma-es' has one aim; 'tpe' and 'nsga2' can have several")
        if self.sampler == "cma-es" and any(values.choices for values in self.vary.values()):
            raise ValueError("sampler: 'cma-es' needs numbers; choices have no order")
        for known in self.first:
            if known.keys() != self.vary.keys():
                raise ValueError(f"first: {', '.join(known)} should be all that varies: {', '.join(self.vary)}")
        for key in chain(self.overrides, self.vary):
            if key == "seed":
                raise ValueError("a seed among the fields: seeds are a field of the search")
        return self

    @property
    def base_scenario(self) -> Scenario:
        """The scenario before all changes."""
        return self.scenario if isinstance(self.scenario, Scenario) else scenarios[self.scenario]

    def scenario_of(self, values: Mapping[str, Value], seed: int) -> Scenario:
        """What one run simulates.

        Parameters
        ----------
        values
            Of the fields that vary, by dotted key.
        seed
            Of the run.
        """
        return self.base_scenario.with_overrides({**self.overrides, **values, "seed": seed})

    def to_yaml(self) -> str:
        """The search as text that `from_yaml` reads."""
        scenario: Any = self.scenario
        if isinstance(scenario, Scenario):
            scenario = scenario.model_dump(mode="json", exclude_none=True)
        data = {"scenario": scenario} | self.model_dump(mode="json", exclude={"scenario"}, exclude_defaults=True)
        if self.seeds == tuple(range(len(self.seeds))):
            data["seeds"] = len(self.seeds)
        return yaml_text(data)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Search:
        """Read a search from YAML (or JSON) text or from a file.

        Parameters
        ----------
        source
            The text, or the path of a file.
        """
        return cls.parse(read_yaml(source, "search"), AS_WRITTEN)
