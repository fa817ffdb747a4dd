"""The base of all user data (frozen, no unknown fields), types of fields, and what is said of bad values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Self, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    model_validator,
)

from pushpoint import limits
from pushpoint.errors import InvalidInput, UnknownName, shown

TINY = 1e-12  # of what may be zero: less is refused, as somebody may divide by it


def at_least(low: float) -> AfterValidator:
    """Refuses positive numbers that are so small that their inverse is of no use."""

    def check(value: float) -> float:
        if value < low:
            raise ValueError(f"should be at least {low:g}")
        return value

    return AfterValidator(check)


def _zero_or_more(value: float) -> float:
    if 0.0 < value < TINY:
        raise ValueError(f"should be zero, or at least {TINY:g}")
    return value


MOST_LISTED = 8  # problems in one message

zero_or_more = AfterValidator(_zero_or_more)

# Of any unit; those with a unit are in quantities.py.
Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_LENGTH)]
Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False), at_least(TINY)]
NonNegative = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False), zero_or_more]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Frozen(BaseModel):
    """Immutable, strict about unknown fields, and clear about what is wrong with a value.

    Subclasses declare fields with types and defaults. Bad input raises `InvalidInput`, which names the field.

    Examples
    --------
    >>> class Options(pp.Options):
    ...     gain: float = 1.0  # [N m/rad]
    >>> Options.parse({"gain": 2.0}).gain
    2.0
    >>> Options(gian=2.0)
    Traceback (most recent call last):
    pushpoint.fields.UnknownField: unknown field of Options 'gian'. Did you mean 'gain'? Known: gain.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        ser_json_inf_nan="strings",  # JSON has no infinity; "Infinity" is read back as one
    )

    def __init__(self, /, **data: Any) -> None:
        # Pydantic calls this for nested models too; their InvalidFields come back as causes and are reported once,
        # with the whole path.
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise _refusal(error, type(self)) from None

    @model_validator(mode="wrap")
    @classmethod
    def _keys_are_text(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """YAML has keys that are numbers; as keywords they would be a TypeError."""
        for key in value if isinstance(value, Mapping) else ():
            if not isinstance(key, str):
                raise _unknown_field(cls, key)
        return handler(value)

    @classmethod
    def parse(cls, data: Any, wording: Wording | None = None) -> Self:
        """Validate plain data; errors name the field, in its author's words.

        Parameters
        ----------
        data
            From YAML, JSON or keywords: a mapping, or an object of this class.
        wording
            What the author of the data calls its fields; default: by the names of classes.

        Raises
        ------
        InvalidInput
            If a field is missing, not known, or out of range.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            refusal = _refusal(error, cls)
        raise refusal if wording is None else _reworded(refusal, wording, cls.__name__)


class Wording(NamedTuple):
    """What the author of some data calls its fields; the names of our classes are unknown to most."""

    path: str = ""  # leads to the data, e.g. "controller"; empty: the data are a whole file
    kind: str = "key"  # what an unknown field is called
    whole: str = ""  # what all of the data are called, default the path


class Problem(NamedTuple):
    """What is wrong with one value."""

    place: tuple[int | str, ...]  # keys and indices that lead to it
    value: str | None  # as shown; None if there is none
    reason: str

    def described(self, whose: str) -> str:
        path = _path(whose, *self.place)
        return f"{path}: {self.reason}" if self.value is None else f"{path} = {self.value}: {self.reason}"


class InvalidFields(InvalidInput):
    """One line per problem: field, value, what is allowed."""

    def __init__(self, whose: str, problems: list[Problem]) -> None:
        super().__init__(listed(problem.described(whose) for problem in problems[: MOST_LISTED + 1]))
        self.problems = problems


def listed(problems: Iterable[str]) -> str:
    """The first problems in one line; data may have thousands."""
    first = list(problems)
    more = "; and more" if len(first) > MOST_LISTED else ""
    return "; ".join(first[:MOST_LISTED]) + more


class UnknownField(UnknownName):
    """A field that a model does not have; `place` leads to that model."""

    def __init__(self, model: str, name: str, known: Iterable[str], place: tuple[int | str, ...] = ()) -> None:
        super().__init__(f"field of {model}", name, known)
        self.model, self.known, self.place = model, tuple(known), place

    def under(self, place: tuple[int | str, ...]) -> UnknownField:
        return UnknownField(self.model, self.name, self.known, place + self.place)

    def reworded(self, wording: Wording) -> UnknownName:
        path = _path(wording.path, *self.place)
        return UnknownName(wording.kind, self.name, self.known, f"{path}." if path else "")


def problems_of(error: ValidationError, annotations: Mapping[str, Any]) -> list[Problem]:
    """Pydantic's report in our words; `annotations` are those of the fields or arguments."""
    problems: list[Problem] = []
    rivals: dict[int | str, list[Problem]] = {}  # by field: what the members of its union say
    reports = error.errors(include_url=False)
    for report in reports:
        place, found = _without_tags(report["loc"], annotations), _found(report)
        if report["type"] == "too_short" and any(_is_inside(other["loc"], place) for other in reports):
            continue  # pydantic counts the good items only
        if _names_member(place, annotations):
            rivals.setdefault(place[0], []).extend(_under(_without_member(place, annotations), found))
        else:
            problems.extend(_under(place, found))
    return problems + [problem for said in rivals.values() for problem in _furthest(said)]


def _refusal(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    fields = {name: field.annotation for name, field in model.model_fields.items()}
    for report in error.errors(include_url=False):  # a misspelt field first: what else is wrong may follow from it
        cause = report.get("ctx", {}).get("error")
        if isinstance(cause, UnknownField):
            return cause.under(_without_member(_without_tags(report["loc"], fields), fields))
        if isinstance(cause, UnknownName):
            return cause
        if report["type"] == "extra_forbidden":
            return _unknown_field(model, report["loc"][-1])
    return InvalidFields(model.__name__, problems_of(error, fields))


def _reworded(refusal: InvalidInput, wording: Wording, model: str) -> InvalidInput:
    """The same refusal in the words of whoever wrote the data."""
    if isinstance(refusal, UnknownField):
        return refusal.reworded(wording)
    if not isinstance(refusal, InvalidFields):
        return refusal
    whole = wording.whole or wording.path or model
    problems = refusal.problems[: MOST_LISTED + 1]
    return InvalidInput(listed(p.described(wording.path if p.place else whole) for p in problems))


def _unknown_field(model: type[BaseModel], name: Any) -> UnknownField:
    return UnknownField(model.__name__, str(name), model.model_fields)


def _path(*parts: int | str) -> str:
    return ".".join(str(part) for part in parts if part != "")


def _found(report: Any) -> list[Problem]:
    """The problems of one of pydantic's reports: those of a nested model, or the report itself."""
    cause = report.get("ctx", {}).get("error")
    if isinstance(cause, InvalidFields):
        return cause.problems
    if report["type"] in ("missing", "missing_argument"):
        return [Problem((), None, "is required")]
    if report["type"] == "union_tag_invalid":
        return [Problem((), shown(report["input"]), f"its kind should be one of {report['ctx']['expected_tags']}")]
    reason = report["msg"].removeprefix("Input ") if cause is None else str(cause)
    return [Problem((), shown(report["input"]), reason)]


def _without_tags(place: tuple[int | str, ...], annotations: Mapping[str, Any]) -> tuple[int | str, ...]:
    """Pydantic names the member of a tagged union that it took; whoever wrote the value did not write that."""
    tags = _tags(annotations.get(str(place[0]))) if place else set()
    return tuple(part for k, part in enumerate(place) if k == 0 or part not in tags)


def _tags(annotation: Any) -> set[str]:
    found = {item.tag for item in getattr(annotation, "__metadata__", ()) if isinstance(item, Tag)}
    return found.union(*(_tags(inner) for inner in get_args(annotation)))


def _under(place: tuple[int | str, ...], problems: list[Problem]) -> list[Problem]:
    return [problem._replace(place=place + problem.place) for problem in problems]


def _is_inside(place: tuple[int | str, ...], outer: tuple[int | str, ...]) -> bool:
    return len(place) > len(outer) and place[: len(outer)] == outer


def _names_member(place: tuple[int | str, ...], annotations: Mapping[str, Any]) -> bool:
    """Whether a place names, after the field, the member of its union that pydantic tried."""
    return len(place) > 1 and _is_union(annotations.get(str(place[0])))


def _without_member(place: tuple[int | str, ...], annotations: Mapping[str, Any]) -> tuple[int | str, ...]:
    return (place[0], *place[2:]) if _names_member(place, annotations) else place


def _is_union(annotation: Any) -> bool:
    """Whether pydantic reports the members apart: not for `T | None`."""
    members = [member for member in get_args(annotation) if member is not NoneType]
    return get_origin(annotation) in (Union, UnionType) and len(members) > 1


def _furthest(problems: list[Problem]) -> list[Problem]:
    """The member of a union that was meant is the one that went deepest; if in doubt, say what each wants."""
    depth = max(len(problem.place) for problem in problems)
    merged: dict[tuple[int | str, ...], Problem] = {}
    for problem in problems:
        if len(problem.place) == depth:
            rival = merged.get(problem.place)
            reason = problem.reason if rival is None else f"{rival.reason}, or {problem.reason}"
            merged[problem.place] = problem._replace(reason=reason)
    return list(merged.values())
