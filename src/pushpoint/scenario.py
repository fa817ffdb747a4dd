"""One run as data: robot, world, plant, controller, servo, start, duration, seed; to and from YAML, JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, cast, get_type_hints

from pydantic import Field, ValidationError, field_validator, model_validator, validate_call

from pushpoint import limits
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.fields import Frozen, InvalidFields, Name, Wording, problems_of
from pushpoint.plain_data import read_yaml, yaml_text
from pushpoint.quantities import Angle, Bend, Coordinate, Index, Length, Period, Rate, Seed, Velocity, Width
from pushpoint.registry import Registry
from pushpoint.robots import Robot, Servo, robots
from pushpoint.user_code import refuse_result
from pushpoint.worlds import World, worlds

SCHEMA: Final = 1
FROM_FILES = ("csv",)  # worlds that depend on more than their options
MOST_LINK_ROWS = 1e6  # links times rows that are recorded by default: about 100 MB
BUILT: Mapping[str, type] = {"robot": Robot, "world": World}  # by kind: what its functions return
MADE = {"robot": "_robot_made", "world": "_world_made"}  # by kind: where a scenario remembers what it built
KEPT = {"robot": "_robot_kept", "world": "_world_kept"}  # as they were built before, see `Scenario.keeping`
RECORD_PERIOD = 0.01  # [s], about, where a scenario gives none

AS_WRITTEN = Wording()  # fields of a scenario as in its file and in the keys of overrides

Options = TypeVar("Options", bound=Frozen)
Pair = tuple[Velocity, Velocity]
Triple = tuple[Velocity, Velocity, Velocity]
FilePath = Annotated[str, Field(min_length=1, max_length=limits.PATH_CHARACTERS)]
Files = Annotated[tuple[FilePath, ...], Field(fail_fast=True, max_length=limits.CODE_FILES)]
Bounds = tuple[Coordinate | None, Coordinate | None]  # lower, upper
Freedoms = Field(fail_fast=True, max_length=2 * limits.LINKS)


def _editable(data: Any) -> Any:
    """A copy with lists for tuples."""
    if isinstance(data, dict):
        return {key: _editable(value) for key, value in data.items()}
    return [_editable(value) for value in data] if isinstance(data, list | tuple) else data


class Choice(Frozen):
    """A registered item by name, with options; a name alone means no options."""

    name: Name  # in the registry
    options: dict[str, Any] = Field(default_factory=dict)  # by name; those that are not given have their defaults

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"name": value}
        if not isinstance(value, Choice | Mapping):
            raise ValueError("should be a name, or a name with options")
        return value

    @field_validator("options", mode="after")
    @classmethod
    def _as_in_files(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Lists for tuples: a scenario is equal to what comes back from its file."""
        return cast(dict[str, Any], _editable(options))


class Start(Frozen):
    """Where and how fast the robot starts.

    The seed of the scenario says by how much `jitter` shifts the position. Without `joint_angle` the robot starts in
    the shape its controller asks for at t = 0, or straight. If the controller draws the robot as a whole
    (shape-follower), the drawing is turned by `angle` (in space by `roll` and `pitch` before) about its origin;
    `position` then is where that origin is, unless `link` is given. If the controller has a path in the world
    (push-along), the robot starts on it, unless `position`, `angle` or `link` is given.

    For spatial plants: the robot, bent by its joint angles, is turned as a whole by `roll`, `pitch` and `angle` (about
    x, then y, then z; `angle` is then the mean heading) and put down so that its lowest point is `height` above the
    ground or the terrain.
    """

    position: tuple[Coordinate, Coordinate] = (0.0, 0.0)  # [m], of the centre of `link`, or of the centre of mass
    jitter: Width = 0.0  # [m], by which the position is shifted in x and in y at most
    angle: Angle = 0.0  # [rad], mean of the link angles
    link: Index | None = None  # counted from the tail; None: the position is that of the centre of mass
    joint_angle: Annotated[tuple[Bend, ...], Freedoms] | None = None  # [rad], default: as the controller asks
    height: Coordinate = 0.0  # [m], of the lowest point above the ground; in space
    pitch: Angle = 0.0  # [rad], about y; in space
    roll: Angle = 0.0  # [rad], about x; in space
    velocity: Pair | Triple = (0.0, 0.0)  # [m/s], of the centre of mass
    rate: Rate = 0.0  # [rad/s], mean link rate
    spin: tuple[Rate, Rate, Rate] | None = None  # [rad/s], of the whole, world axes; default: `rate` about z
    joint_rate: Annotated[tuple[Rate, ...], Freedoms] | None = None  # [rad/s], default zero
    overlap: Literal["refuse", "allow"] = "refuse"  # a start pose that intersects obstacles


class Region(Frozen):
    """A box along the axes; null for no bound."""

    x: Bounds = (None, None)  # [m]
    y: Bounds = (None, None)  # [m]
    z: Bounds = (None, None)  # [m]; in space

    @model_validator(mode="after")
    def _holds_something(self) -> Region:
        for axis in ("x", "y", "z"):
            low, high = getattr(self, axis)
            if low is not None and high is not None and low >= high:
                raise ValueError(f"{axis} = [{low:g}, {high:g}]: the lower bound should come first")
        if (self.x, self.y, self.z) == ((None, None),) * 3:
            raise ValueError("has no bound; give x, y or z as [lower, upper], with null for none")
        return self


class Stop(Frozen):
    """What ends a run before its duration; whatever comes first.

    It is checked at the rows of the recording. The recording has an event `stop`, which says why, and a checkpoint:
    `resume` goes on without the conditions that hold there.
    """

    distance: Length | None = None  # [m], of the point from where it was at t = 0
    enter: Region | None = None  # the point is inside
    leave: Region | None = None  # the point is outside
    point: Literal["centre_of_mass", "head", "tail"] = "centre_of_mass"  # head and tail: centres of those links
    failure: bool = False  # whether a step that cannot be solved ends the run as others do, instead of as an error


class Scenario(Frozen):
    """Everything that one run needs.

    Examples
    --------
    >>> scenario = pp.Scenario(name="mine/first", robot="ten-link", world="plane", controller="serpenoid")
    >>> scenario.with_overrides({"duration": 0.5, "world.friction": 0.1}).world.options
    {'friction': 0.1}
    >>> pp.Scenario.from_yaml(scenario.to_yaml()) == scenario
    True
    """

    name: Name  # registered ones are called key/slug
    title: str = ""  # one line for people
    robot: Choice | Robot  # a registered one, or one in full
    world: Choice | World  # a registered one, or one in full
    plant: Choice = Choice(name="planar_stepping")  # simulation model
    controller: Choice  # what moves the joints
    sensors: dict[Name, dict[str, Any]] | None = None  # by name, with options; None: all that are used, exact ones
    servo: Servo | None = None  # default: the robot's own
    start: Start = Start()  # pose and velocity at t = 0
    duration: Period = 10.0  # [s], a multiple of the control period
    stop: Stop | None = None  # what ends the run earlier
    control_period: Period = 0.01  # [s], a multiple of the plant's time step
    record_period: Period | None = None  # [s], default: the whole number of ticks nearest to 0.01 s; see recorded_every
    seed: Seed = 0  # of worlds with a parameter `seed`, sensors and start.jitter
    source: str = ""  # where it comes from
    files: Files = ()  # Python files that it goes with, relative to its own file; whoever runs it has to load them
    schema_version: Literal[1] = SCHEMA  # of files

    @field_validator("robot", mode="before")
    @classmethod
    def _robot(cls, value: Any) -> Any:
        return _named_or_made(value, Robot)

    @field_validator("world", mode="before")
    @classmethod
    def _world(cls, value: Any) -> Any:
        return _named_or_made(value, World)

    def built_robot(self) -> Robot:
        """The robot; made once, as a scenario does not change, and anew if its name was registered again."""
        return self.robot if isinstance(self.robot, Robot) else cast(Robot, self._made(robots, self.robot))

    def built_world(self) -> World:
        """The world; made once, and one from a file is read once, and anew if its name was registered again."""
        return self.world if isinstance(self.world, World) else cast(World, self._made(worlds, self.world))

    def _made(self, registry: Registry[Any], choice: Choice) -> Any:
        kept, made = self.__dict__.get(KEPT[registry.kind]), self.__dict__.get(MADE[registry.kind])
        if kept is not None:
            return kept
        if made is None or made[0] != registry.edition(choice.name):
            built = build(registry, choice, self.seed)
            made = (registry.edition(choice.name), built)
            self.__dict__[MADE[registry.kind]] = made
        return made[1]

    def keeping(self, robot: Robot | None, world: World | None) -> Scenario:
        """The same, whose robot and world are these, whatever is registered under their names.

        Parameters
        ----------
        robot
            As it was built; None: it is built anew.
        world
            As it was built; None: it is built anew.
        """
        copied = self.model_copy()
        for kind, part in (("robot", robot), ("world", world)):
            if part is not None:
                copied.__dict__[KEPT[kind]] = part
        return copied

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Scenario:
        """A changed copy, which is not validated again, without what was made of the old fields.

        Parameters
        ----------
        update
            New values by field.
        deep
            Whether to copy values too.
        """
        copied = super().model_copy(update=update, deep=deep)
        for name in (*MADE.values(), *KEPT.values()):
            copied.__dict__.pop(name, None)
        return copied._keeping_as(self)

    def _keeping_as(self, other: Scenario) -> Scenario:
        """Keep what another scenario keeps, as far as it is of the same choice and seed."""
        for kind, name in KEPT.items():
            if name in other.__dict__ and self.seed == other.seed and getattr(self, kind) == getattr(other, kind):
                self.__dict__[name] = other.__dict__[name]
        return self

    def options_of(self, part: Literal["plant", "controller"], model: type[Options]) -> Options:
        """The options of the plant or the controller, checked; errors name them as `part.option`.

        Parameters
        ----------
        part
            "plant" or "controller".
        model
            Their class.
        """
        choice: Choice = getattr(self, part)
        return model.parse(choice.options, Wording(part, _an_option(part, choice), f"{part}.options"))

    def pinned(self) -> Scenario:
        """The same with its robot and world as they are now: files and registered functions may change or go away. A
        world that was read from a file takes the place of its name."""
        robot, world = self.built_robot(), self.built_world()
        update: dict[str, Any] = {"files": tuple(Path(file).name for file in self.files)} if self.files else {}
        if isinstance(self.world, Choice) and self.world.name in FROM_FILES:
            update["world"] = world
        return self.model_copy(update=update).keeping(robot, world)

    @property
    def recorded_every(self) -> float:
        """Time from row to row of the recording [s]; by default longer for runs that would fill the memory."""
        if self.record_period is not None:
            return self.record_period
        least = self.duration * len(self.built_robot().links) / MOST_LINK_ROWS
        return (
            max(1, round(RECORD_PERIOD / self.control_period), ceil(least / self.control_period)) * self.control_period
        )

    def with_overrides(self, overrides: Mapping[str, Any]) -> Scenario:
        """A copy with some values replaced.

        Wholes come before their parts: another plant drops the old one's options, not those given along with
        it. The servo comes last: by default it is that of the robot, which others may change.

        Parameters
        ----------
        overrides
            Values by dotted key, such as ``{"controller.amplitude": 0.6, "duration": 5.0}``.
        """
        scenario = self
        for turn in (_is_whole, _is_part, _is_servo_part):
            paths = sorted(filter(turn, overrides), key=_depth)
            if not paths:
                continue
            data = _editable(scenario.model_dump())
            for path in paths:
                _override(data, path, _editable(overrides[path]))
            scenario = Scenario.parse(data, AS_WRITTEN)
        return scenario if scenario is self else scenario._keeping_as(self)

    def to_yaml(self) -> str:
        """The scenario as text that `from_yaml` reads."""
        return yaml_text(self.plain())

    def plain(self) -> dict[str, Any]:
        """The scenario as plain data for files."""
        return self.model_dump(mode="json", exclude_none=True, exclude=None if self.files else {"files"})

    def beside(self, folder: Path) -> Scenario:
        """The same with the paths of its files and of its table of obstacles, which are relative to `folder`.

        Parameters
        ----------
        folder
            Of the file that the scenario was read from.
        """
        update: dict[str, Any] = {"files": tuple(str(folder / file) for file in self.files)} if self.files else {}
        if isinstance(self.world, Choice) and self.world.name in FROM_FILES:
            path = self.world.options.get("path")
            if isinstance(path, str) and "\0" not in path:
                options = {**self.world.options, "path": str(folder / path)}
                update["world"] = self.world.model_copy(update={"options": options})
        return self.model_copy(update=update) if update else self

    @classmethod
    def from_yaml(cls, source: str | Path) -> Scenario:
        """Read a scenario from YAML (or JSON) text or from a file, to which the paths in it are relative.

        Parameters
        ----------
        source
            The text, or the path of a file.
        """
        scenario = cls.parse(read_yaml(source, "scenario"), AS_WRITTEN)
        return scenario.beside(source.parent) if isinstance(source, Path) else scenario


def _named_or_made(value: Any, kind: type[Robot] | type[World]) -> Any:
    """A registered one by name, or one in full: distinguished by the fields that only the latter has."""
    if isinstance(value, kind):
        return value
    own = kind.model_fields.keys() - Choice.model_fields.keys()
    in_full = isinstance(value, Mapping) and not own.isdisjoint(value)
    return (kind if in_full else Choice).parse(value)


def build(registry: Registry[Any], choice: Choice, seed: int) -> Any:
    """Call the factory that `choice` names; factories that take a seed get the scenario's."""
    factory = registry[choice.name]
    known = inspect.signature(factory).parameters
    for key in choice.options:
        if key not in known:
            raise UnknownName(_an_option(registry.kind, choice), key, known, f"{registry.kind}.")
    options = dict(choice.options)
    if "seed" in known:
        options.setdefault("seed", seed)
    try:
        made = _checked(factory)(**options)
    except ValidationError as error:
        raise InvalidFields(registry.kind, problems_of(error, get_type_hints(factory))) from None
    if not isinstance(made, BUILT[registry.kind]):
        wanted = f"a {BUILT[registry.kind].__name__}"
        refuse_result(registry.place_of(choice.name), f"{registry.kind} {choice.name!r}", made, wanted)
    return made


@lru_cache(maxsize=64)
def _checked(factory: Callable[..., Any]) -> Callable[..., Any]:
    """The same with its arguments checked; making that takes longer than most calls."""
    return validate_call(factory)


def _an_option(kind: str, choice: Choice) -> str:
    """What an unknown option is called."""
    return f"option of {kind} {choice.name!r}:"


def _depth(path: str) -> int:
    return path.count(".")


def _is_whole(path: str) -> bool:
    return "." not in path


def _is_part(path: str) -> bool:
    return "." in path and not _is_servo_part(path)


def _is_servo_part(path: str) -> bool:
    return path.startswith("servo.")


def _override(data: dict[str, Any], path: str, value: Any) -> None:
    head, *rest = path.split(".")
    if head not in Scenario.model_fields:
        raise UnknownName("scenario field", head, Scenario.model_fields)
    if head in ("robot", "world", "plant", "controller"):
        _override_choice(data, path, value)
        return
    if head == "servo" and rest and data["servo"] is None:
        data["servo"] = Scenario.parse(data, AS_WRITTEN).built_robot().servo.model_dump()
    if head == "sensors" and len(rest) > 1 and rest[0] in (data["sensors"] or {}):
        _set_option(data["sensors"][rest[0]], rest[1:], value, path)
        return
    _set(data, path, value)


def _override_choice(data: dict[str, Any], path: str, value: Any) -> None:
    """`world.friction` is an option of the factory; `world.ground.friction` a field of what it builds."""
    head, *rest = path.split(".")
    chosen = data[head]
    if not rest or (rest == ["name"] and "options" in chosen):
        if value != chosen["name"]:  # another plant or controller drops the old one's options
            data[head] = value
    elif "options" not in chosen or rest == ["options"]:
        _set(data, path, value)
    elif rest[0] == "options":
        _set_option(chosen["options"], rest[1:], value, path)
    elif head in ("plant", "controller"):
        _set_option(chosen["options"], rest, value, path)  # which there are is known when they are built
    else:
        _override_factory(data, path, value)


def _override_factory(data: dict[str, Any], path: str, value: Any) -> None:
    """An option of a robot or a world, if the path ends there; else a field of what the factory builds."""
    head, first, *rest = path.split(".")
    options = inspect.signature((robots if head == "robot" else worlds)[data[head]["name"]]).parameters
    if first in options and not rest:
        data[head]["options"][first] = value
        return
    scenario = Scenario.parse(data, AS_WRITTEN)
    made = scenario.built_robot() if head == "robot" else scenario.built_world()
    if first not in type(made).model_fields:
        raise UnknownName("key", first, {*options, *type(made).model_fields}, f"{head}.")
    data[head] = _editable(made.model_dump())
    _set(data, path, value)


def _set_option(options: dict[str, Any], keys: list[str], value: Any, path: str) -> None:
    """One option, or a part of one. Which there are is known when they are built: until then, any key may be added to
    a mapping, also to one that is not given; of lists the defaults are not known."""
    first, *rest = keys
    if not rest:
        options[first] = value
    elif first not in options and rest[0].isdecimal():
        raise InvalidInput(f"{path!r}: {first!r} is not set, so no part of it can be; set it as a whole")
    elif isinstance(options.setdefault(first, {}), dict):
        _set_option(options[first], rest, value, path)
    else:
        _set_part(options, keys, value, path)


def _set(data: dict[str, Any], path: str, value: Any) -> None:
    _set_part(data, path.split("."), value, path)


def _set_part(data: Any, keys: list[str], value: Any, path: str) -> None:
    """Replace one leaf of nested dictionaries and lists; unknown keys list the valid ones."""
    *parents, last = keys
    for depth, key in enumerate(parents):
        data = data[_known_key(data, key, path, len(keys) - depth)]
    data[_known_key(data, last, path, 1)] = value


def _known_key(data: Any, key: str, path: str, from_end: int) -> int | str:
    """The key as it is, or as a number if it is one of a list; `from_end` counts it in `path`."""
    stem = ".".join(path.split(".")[:-from_end])
    if isinstance(data, list):
        if not key.isdecimal() or int(key) >= len(data):
            raise InvalidInput(f"{path!r}: {key!r} is not an index of {stem}, which has {len(data)} values")
        return int(key)
    if not isinstance(data, dict):
        raise InvalidInput(f"{path!r}: {stem} = {data!r} has no parts")
    if key not in data:
        raise UnknownName("key", key, data, f"{stem}.")
    return key
