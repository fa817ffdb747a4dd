"""The base of all user data (frozen, no unknown fields) and the number types used in its fields."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pushpoint.errors import InvalidInput, UnknownName

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
PositiveOrInf = Annotated[float, Field(gt=0, allow_inf_nan=True)]


class Frozen(BaseModel):
    """Immutable, strict about unknown fields, and clear about what is wrong with a value."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise_clear(error, type(self))

    @classmethod
    def parse(cls, data: Any) -> Any:
        """Validate plain data (from YAML, JSON or keywords); errors name the field."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise_clear(error, cls)


def raise_clear(error: ValidationError, model: type[BaseModel]) -> NoReturn:
    """Turn pydantic's report into one line per problem: field, value, what is allowed."""
    problems = error.errors(include_url=False)
    for problem in problems:
        # An unknown field of the model itself deserves a "did you mean".
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            raise UnknownName(f"field of {model.__name__}", str(problem["loc"][0]), model.model_fields)
    lines = [
        f"{model.__name__}.{'.'.join(map(str, p['loc'])) or '(whole)'} = {_shown(p['input'])}: {p['msg']}"
        for p in problems
    ]
    raise InvalidInput("; ".join(lines)) from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
