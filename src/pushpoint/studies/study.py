"""One study as data: a scenario, seeds, variants and measures; to and from YAML."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from pydantic import (
    ConfigDict,
    Field,
    PydanticSchemaGenerationError,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from pushpoint import limits
from pushpoint.analysis import Measure
from pushpoint.analysis import measures as registered_measures
from pushpoint.analysis.metrics import METRICS
from pushpoint.errors import InvalidInput, UnknownName, shown
from pushpoint.fields import Frozen, InvalidFields, Name, Number, problems_of
from pushpoint.plain_data import read_yaml, yaml_text
from pushpoint.quantities import Seed
from pushpoint.scenario import AS_WRITTEN, Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.studies.sweep import Axis, Points, Samples

BASE = "base"  # the variant without changes
DEFAULT_SEEDS = 20
LARGEST_NUMBER = 1e15  # of the options of measures
OF_THE_MACHINE = ("real_time_factor",)  # metrics that differ from run to run of one scenario

Overrides = dict[str, Any]


class Measurement(Frozen):
    """A number wanted of every run: a registered measure with options; those of `Recording.metrics()` have none."""

    name: Name  # of the measure
    options: dict[str, Any] = Field(default_factory=dict)  # of the measure, by name
    label: str = ""  # of its column, default the name

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"name": value}
        return value.model_dump() if isinstance(value, Choice) else value

    @model_validator(mode="after")
    def _is_known(self) -> Measurement:
        measure = registered_measures[self.name]
        asked = inspect.signature(measure).parameters
        runs = [name for name, parameter in asked.items() if parameter.kind is not parameter.KEYWORD_ONLY]
        if len(runs) > 1:
            raise InvalidInput(f"measure {self.name!r} compares {' and '.join(runs)}; a study measures each run alone")
        _check_options(self, {name: asked[name] for name in asked if name not in runs})
        self.options.update(_checked_values(self.options, measure))
        return self

    @property
    def column(self) -> str:
        """Name of its column."""
        return self.label or self.name


def _check_options(wanted: Measurement, known: Mapping[str, inspect.Parameter]) -> None:
    for key in wanted.options:
        if key not in known:
            raise UnknownName(f"option of measure {wanted.name!r}:", key, known)
    missing = [name for name, option in known.items() if option.default is option.empty and name not in wanted.options]
    if missing:
        raise InvalidInput(f"measure {wanted.name!r} needs {', '.join(missing)}")


def _checked_values(options: Mapping[str, Any], measure: Measure) -> Mapping[str, Any]:
    """The options as the annotations of a measure want them: bad values are refused before anything runs."""
    try:
        hints = get_type_hints(measure, localns={"Recording": Any}, include_extras=True)
        fields: dict[str, Any] = {key: (hints.get(key, Any), ...) for key in options}
        model = create_model("Values", __config__=ConfigDict(arbitrary_types_allowed=True), **fields)
    except (NameError, PydanticSchemaGenerationError):  # for type checkers only: the measure itself will see
        return options
    try:
        values = dict(model(**options))
    except ValidationError as error:
        problems = [problem._replace(place=("options", *problem.place)) for problem in problems_of(error, hints)]
        raise InvalidFields("measure", problems) from None
    for key, value in values.items():
        _refuse_beyond_measure(f"measure.options.{key}", value)
    return values


def _refuse_beyond_measure(name: str, value: Any) -> None:
    """Numbers that no measure can use, whatever its annotations say."""
    if isinstance(value, list | tuple):
        for item in value:
            _refuse_beyond_measure(name, item)
    elif isinstance(value, float | int) and not abs(value) <= LARGEST_NUMBER:  # NaN is none either
        raise InvalidInput(f"{name} = {shown(value)}: should be from {-LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}")


def _unchanged() -> dict[str, Overrides]:
    return {BASE: {}}


class Place(NamedTuple):
    """Where a run stands in its study."""

    variant: str  # label
    point: int  # number among the points of the sweep; 0 without one
    seed: int  # of the run


def registered_or_whole(value: Any) -> Any:
    """A field `scenario`: the name of one that is registered, or one in full."""
    if isinstance(value, Mapping):
        return Scenario.parse(value)
    if isinstance(value, str) and value and value not in scenarios:
        return scenarios[value]  # which says what there is
    return value


def counted_or_listed(value: Any) -> Any:
    """A field `seeds`: n stands for 0 to n - 1."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if value > limits.RUNS:
        raise ValueError(f"should be {limits.RUNS} at most")
    return tuple(range(value))


class Study(Frozen):
    """Runs of one scenario: every variant at every point of the sweep with every seed, and what is measured of each.

    Variants are compared seed by seed with the first one.

    Examples
    --------
    >>> study = pp.Study(scenario="transeth2008a/flat", seeds=3, variants={"base": {}, "slow": {"duration": 20.0}})
    >>> study.seeds, study.scenario_of("slow", seed=2).duration
    ((0, 1, 2), 20.0)
    >>> friction = {"start": 0.1, "end": 0.5, "count": 9}
    >>> swept = pp.Study(scenario="transeth2008a/flat", sweep={"world.ground.friction": friction})
    >>> swept.runs, swept.points[1]
    (9, {'world.ground.friction': 0.15})
    """

    scenario: Name | Scenario  # a registered one by name, or one in full
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = tuple(
        range(DEFAULT_SEEDS)
    )  # n: 0 to n - 1; default: 20, with a sweep 1
    overrides: Overrides = Field(default_factory=dict)  # of all runs, by dotted key
    variants: Annotated[dict[Name, Overrides], Field(min_length=1)] = Field(default_factory=_unchanged)  # by label
    measures: Annotated[
        tuple[Measurement, ...], Field(fail_fast=True, max_length=limits.MEASURES)
    ] = ()  # none: all metrics
    beyond: dict[str, Number] = Field(default_factory=dict)  # column: threshold; the share of runs above it is reported
    sweep: dict[Name, Axis] = Field(default_factory=dict)  # by dotted key: lists and ranges, crossed, or bounds
    samples: Samples | None = None  # of the fields with bounds: count, method, seed
    recordings: Literal["drop", "keep"] = "drop"  # of the runs, beside the store

    @model_validator(mode="before")
    @classmethod
    def _repeats_are_seeds(cls, value: Any) -> Any:
        """`repeats: n` is another word for `seeds: n`: equal runs would be equal to the bit. A sweep needs no seeds."""
        if not isinstance(value, Mapping):
            return value
        data = dict(value)
        if "repeats" in data:
            if "seeds" in data:
                raise ValueError("repeats and seeds: give one of them; repeats: 5 are the seeds 0 to 4")
            repeats = data.pop("repeats")
            if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
                raise ValueError(f"repeats = {shown(repeats)}: should be a whole number of at least 1")
            data["seeds"] = repeats
        if data.get("sweep") and "seeds" not in data:
            data["seeds"] = 1
        return data

    _scenario_is_known = field_validator("scenario", mode="before")(registered_or_whole)
    _seeds_may_be_counted = field_validator("seeds", mode="before")(counted_or_listed)

    @field_validator("seeds")
    @classmethod
    def _each_once(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) < len(value):
            raise ValueError("each seed should be given once")
        return value

    @field_validator("overrides", mode="before")
    @classmethod
    def _for_files(cls, value: Any) -> Any:
        return _plain(value)

    @field_validator("variants", mode="before")
    @classmethod
    def _maybe_without_changes(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {label: {} if changes is None else _plain(changes) for label, changes in value.items()}

    @model_validator(mode="after")
    def _fits_together(self) -> Study:
        self._refuse_odd_sweep()
        if self.runs > limits.RUNS:
            at = f" at {len(self.points)} points" if self.sweep else ""
            raise ValueError(
                f"{len(self.seeds)} seeds in {len(self.variants)} variants{at} are {self.runs} runs; should be "
                f"{limits.RUNS} at most"
            )
        if any("seed" in changes for changes in (self.overrides, *self.variants.values(), self.sweep)):
            raise ValueError("a seed among the overrides: seeds are a field of the study")
        columns = [measurement.column for measurement in self.measures]
        for column in columns:
            if columns.count(column) > 1:
                raise ValueError(f"measures: {column!r} is there twice; give each a label")
        for column in self.beyond:
            if column not in self.columns:
                raise UnknownName("measure of this study", column, self.columns)
        return self

    def _refuse_odd_sweep(self) -> None:
        sampled = [key for key, axis in self.sweep.items() if axis.is_sampled]
        if sampled and self.samples is None:
            raise ValueError(f"sweep.{sampled[0]} has bounds; samples should say how many points to draw between them")
        if self.samples is not None and not sampled:
            raise ValueError("samples: no field of the sweep has bounds (low and high) to sample between")
        for label, changes in self.variants.items():
            for key in changes.keys() & self.sweep.keys():
                raise ValueError(f"{key!r} is changed by the sweep and by variant {label!r}; should be one of them")

    @property
    def points(self) -> Points:
        """The points of the sweep; one without changes if there is none."""
        if "_points" not in self.__dict__:  # made once: a study does not change
            self.__dict__["_points"] = Points(self.sweep, self.samples)
        points: Points = self.__dict__["_points"]
        return points

    @property
    def runs(self) -> int:
        """How many there are: variants times points times seeds."""
        return len(self.variants) * len(self.points) * len(self.seeds)

    def place_of(self, number: int) -> Place:
        """Where a run stands; they are numbered by variant, then by point, then by seed.

        Parameters
        ----------
        number
            From 0 to `runs` - 1.
        """
        rest, seed = divmod(number, len(self.seeds))
        variant, point = divmod(rest, len(self.points))
        return Place(next(islice(self.variants, variant, None)), point, self.seeds[seed])

    def changes_of(self, place: Place) -> dict[str, Any]:
        """What a run changes of the scenario, by dotted key; its seed included.

        Parameters
        ----------
        place
            Of the run.
        """
        return {**self.overrides, **self.variants[place.variant], **self.points[place.point], "seed": place.seed}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers measured of every run."""
        return tuple(measurement.column for measurement in self.measurements)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What is measured of every run."""
        return self.measures or tuple(Measurement(name=name) for name in METRICS if name not in OF_THE_MACHINE)

    @property
    def base_scenario(self) -> Scenario:
        """The scenario before all overrides."""
        return self.scenario if isinstance(self.scenario, Scenario) else scenarios[self.scenario]

    def scenario_of(self, variant: str, seed: int, point: int = 0) -> Scenario:
        """What one run simulates. A seed among the changes reaches worlds before parts of them are replaced.

        Parameters
        ----------
        variant
            Its label.
        seed
            Of the run.
        point
            Number of the point of the sweep.
        """
        return self.base_scenario.with_overrides(self.changes_of(Place(variant, point, seed)))

    def to_yaml(self) -> str:
        """The study as text that `from_yaml` reads."""
        scenario: Any = self.scenario
        if isinstance(scenario, Scenario):
            scenario = scenario.model_dump(mode="json", exclude_none=True)
        data = {"scenario": scenario} | self.model_dump(mode="json", exclude={"scenario", "sweep"})
        if self.sweep:
            data["sweep"] = {key: axis.plain() for key, axis in self.sweep.items()}
        if self.samples is None:
            del data["samples"]
        if self.recordings == "drop":
            del data["recordings"]
        if self.seeds == tuple(range(len(self.seeds))):
            data["seeds"] = len(self.seeds)
        return yaml_text(data)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Study:
        """Read a study from YAML (or JSON) text or from a file.

        Parameters
        ----------
        source
            The text, or the path of a file.
        """
        return cls.parse(read_yaml(source, "study"), AS_WRITTEN)


def _plain(value: Any) -> Any:
    """The same without NumPy's numbers and arrays and without models, which no file can hold."""
    if isinstance(value, Frozen):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
