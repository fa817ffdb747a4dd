"""One run as data: robot, world, plant, controller, servo, start, duration, seed. To and from YAML and JSON."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, ValidationError, field_validator, model_validator, validate_call

from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.fields import Frozen, Number, Positive
from pushpoint.registry import Registry
from pushpoint.robots import Robot, Servo, robots
from pushpoint.worlds import World, worlds

SCHEMA = 1

Pair = tuple[Number, Number]


class Choice(Frozen):
    """A registered thing by name, with options."""

    name: str
    options: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class Start(Frozen):
    """Where and how fast the robot starts.

    `position` is that of the centre of link `link`, or of the centre of mass if `link` is None; `angle` is the mean
    of the link angles. Without `joint_angle` the robot starts in the shape its controller asks for at t = 0.
    """

    position: Pair = (0.0, 0.0)  # [m]
    angle: Number = 0.0  # [rad]
    link: NonNegativeInt | None = None
    joint_angle: tuple[Number, ...] | None = None  # [rad]
    velocity: Pair = (0.0, 0.0)  # [m/s], of the centre of mass
    rate: Number = 0.0  # [rad/s], mean link rate
    joint_rate: tuple[Number, ...] | None = None  # [rad/s], default zero
    overlap: Literal["refuse", "allow"] = "refuse"  # a start pose that intersects obstacles


class Scenario(Frozen):
    """Everything that one run needs. Registered ones are named `key/slug`."""

    name: str
    title: str = ""
    robot: Choice | Robot
    world: Choice | World
    plant: Choice = Choice(name="planar_stepping")
    controller: Choice
    servo: Servo | None = None  # default: the robot's own
    start: Start = Start()
    duration: Annotated[float, Field(gt=0, le=86400)] = 10.0  # [s]
    control_period: Positive = 0.01  # [s]
    record_period: Positive | None = None  # [s], default: 0.01 s or the control period if that is longer
    seed: NonNegativeInt = 0
    source: str = ""
    schema_version: Literal[1] = SCHEMA

    @field_validator("robot", "world", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return Choice(name=value) if isinstance(value, str) else value

    def built_robot(self) -> Robot:
        if isinstance(self.robot, Robot):
            return self.robot
        return build(robots, self.robot, self.seed)

    def built_world(self) -> World:
        if isinstance(self.world, World):
            return self.world
        return build(worlds, self.world, self.seed)

    @property
    def recorded_every(self) -> float:
        return self.record_period or max(0.01, self.control_period)

    def with_overrides(self, overrides: Mapping[str, Any]) -> Scenario:
        """A copy with fields replaced by dotted path: ``{"controller.amplitude": 0.6, "duration": 5.0}``."""
        data = self.model_dump()
        for path, value in overrides.items():
            _override(data, path.split("."), value, path)
        return Scenario.parse(data)  # type: ignore[no-any-return]  # parse is typed for every subclass at once

    def to_yaml(self) -> str:
        import yaml

        return yaml.safe_dump(self.model_dump(mode="json", exclude_none=True), sort_keys=False)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Scenario:
        """Read a scenario from YAML (or JSON) text or from a file."""
        import yaml

        text = source
        if isinstance(source, Path):
            try:
                text = source.read_text(encoding="utf-8")
            except OSError as error:
                raise InvalidInput(f"scenario file {str(source)!r} cannot be read: {error.strerror}") from None
        try:
            data = yaml.safe_load(str(text))
        except yaml.YAMLError as error:
            raise InvalidInput(f"not valid YAML: {error}") from None
        return cls.parse(data)  # type: ignore[no-any-return]  # as above


def build(registry: Registry[Any], choice: Choice, seed: int) -> Any:
    """Call the factory that `choice` names; factories that take a seed get the scenario's."""
    factory = registry[choice.name]
    known = inspect.signature(factory).parameters
    for key in choice.options:
        if key not in known:
            raise UnknownName(f"option of {registry.kind} {choice.name!r}:", key, known)
    options = dict(choice.options)
    if "seed" in known:
        options.setdefault("seed", seed)
    try:
        return validate_call(factory)(**options)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise InvalidInput(
            f"{registry.kind} {choice.name!r}, option {field} = {problem['input']!r}: {problem['msg']}"
        ) from None


def _override(data: dict[str, Any], keys: list[str], value: Any, path: str) -> None:
    head, rest = keys[0], keys[1:]
    if head not in Scenario.model_fields:
        raise UnknownName("scenario field", head, Scenario.model_fields)
    if head in ("robot", "world", "plant", "controller"):
        _override_choice(data, head, rest, value, path)
    elif head == "servo" and rest and data["servo"] is None:
        data["servo"] = Scenario.parse(data).built_robot().servo.model_dump()
        _set(data, keys, value, path)
    else:
        _set(data, keys, value, path)


def _override_choice(data: dict[str, Any], head: str, rest: list[str], value: Any, path: str) -> None:
    """`world.friction` is an option of the factory; `world.ground.friction` a field of what it builds."""
    if not rest:
        same = isinstance(value, str) and value == data[head].get("name")
        data[head] = data[head] if same else value  # another plant or controller drops the old one's options
        return
    if "options" in data[head]:
        if rest[0] == "options":
            rest = rest[1:]
        if head in ("plant", "controller") or rest[0] in inspect.signature(_factory(head, data)).parameters:
            data[head]["options"] = {**data[head]["options"], ".".join(rest): value}
            return
        built = Scenario.parse(data)
        data[head] = (built.built_robot() if head == "robot" else built.built_world()).model_dump()
    _set(data, [head, *rest], value, path)


def _factory(head: str, data: dict[str, Any]) -> Any:
    return (robots if head == "robot" else worlds)[data[head]["name"]]


def _set(data: Any, keys: list[str], value: Any, path: str) -> None:
    """Replace one leaf of nested dictionaries and tuples; unknown keys list the valid ones."""
    *parents, last = keys
    for key in parents:
        data = _child(data, key, path)
    if isinstance(data, list):
        data[_index(data, last, path)] = value
    elif isinstance(data, dict) and last in data:
        data[last] = value
    else:
        raise UnknownName("key", path, _paths(data, path, last))


def _child(data: Any, key: str, path: str) -> Any:
    if isinstance(data, dict) and key in data:
        if isinstance(data[key], tuple):
            data[key] = list(data[key])
        return data[key]
    if isinstance(data, list):
        return data[_index(data, key, path)]
    raise UnknownName("key", path, _paths(data, path, key))


def _index(data: list[Any], key: str, path: str) -> int:
    if not key.isdigit() or int(key) >= len(data):
        raise InvalidInput(f"{path!r}: {key!r} is not an index from 0 to {len(data) - 1}")
    return int(key)


def _paths(data: Any, path: str, key: str) -> list[str]:
    stem = path[: path.index(key)]
    return [stem + str(k) for k in data] if isinstance(data, dict) else []
