"""From the words of a command line to the changes of a scenario, and to names of files."""

from __future__ import annotations

from typing import Any

from pushpoint.errors import InvalidInput, shown

LONGEST_NAME = 120  # [bytes]: names of 255 are allowed, and people put something before and behind
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))}
EXAMPLES = {
    "--set": "controller.amplitude=0.6",
    "--variant": "weak:controller.amplitude=0.6",
    "--measure": "first_passage:link=5,axis=x,value=2",
    "--beyond": "distance=1.5",
    "--sweep": "world.ground.friction=0.1:0.5:9",
}


def overrides(plant: str | None, settings: list[str], duration: float | None, seed: int | None) -> dict[str, Any]:
    """What the options change. The plant comes first: it drops the options of the other one."""
    changes: dict[str, Any] = {} if plant is None else {"plant": plant}
    changes |= dict(parsed(text) for text in settings)
    for key, value in (("duration", duration), ("seed", seed)):
        if value is not None:
            changes[key] = value
    return changes


def parsed(setting: str, option: str = "--set") -> tuple[str, Any]:
    """`key=value`, the value read as YAML: numbers, true, null, [1, 2], names. `option` is named in errors."""
    from pushpoint.plain_data import parsed as plain

    key, equals, text = setting.partition("=")
    if not equals or not key.strip():
        raise InvalidInput(f"{option} {shown(setting)}: must look like key=value, for example {EXAMPLES[option]}")
    try:
        return key.strip(), _number(plain(text, "value"))
    except InvalidInput as error:
        reason = str(error).rpartition(": ")[2]
        raise InvalidInput(
            f"{option} {shown(setting)}: {shown(text)} is not a YAML value such as 0.6, [1, 2] or name: {reason}"
        ) from None


def _number(value: Any) -> Any:
    """YAML 1.1 reads 1e-3 as text; people mean the number."""
    if isinstance(value, list):
        return [_number(item) for item in value]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def slug(name: str) -> str:
    """A name for files: `transeth2008a/track` -> `transeth2008a-track`. Whatever a scenario is called, it is the name
    of one file on all systems: no separators, no dots at its ends, no device of Windows, and not too long."""
    text = "".join(c if c.isalnum() or c in "._-" else "-" for c in name).strip(".") or "run"
    if text.split(".")[0].lower() in DEVICES:
        text = f"run-{text}"
    if len(text.encode()) > LONGEST_NAME:
        from hashlib import sha256

        kept = text.encode()[: LONGEST_NAME - 9].decode(errors="ignore")
        text = f"{kept}-{sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"
    return text
