"""Where the files of a run go: no result is replaced unless somebody says so."""

from __future__ import annotations

import re
from pathlib import Path

from pushpoint.cli import _scenario
from pushpoint.errors import InvalidInput
from pushpoint.files import made

ROOT = Path("results")
RECORDING, FIGURE = "recording.nc", "figure.png"


class Folder:
    """The folder of --out, or the next free one of a scenario: results/name, results/name-2, results/name-3, ..."""

    def __init__(self, out: Path | None, scenario: str, force: bool) -> None:
        self._out, self._name, self._found = out, _scenario.slug(scenario), out
        if out is not None and not force and _holds_result(out):
            raise InvalidInput(
                f"--out {str(out)!r}: there is a result in this folder; --force replaces it, without --out the next "
                "free folder is taken"
            )

    @property
    def path(self) -> Path:
        """The folder, which then exists; the same at every call."""
        if self._found is None:
            self._found = self._next_free()
        return made(self._found)

    def _next_free(self) -> Path:
        """Taken at once, as others may run the same scenario at the same time."""
        made(ROOT)
        while True:
            first = ROOT / self._name
            folder = ROOT / f"{self._name}-{self._last_number() + 1}" if _holds_result(first) else first
            if folder.is_dir() and not _holds_result(folder):
                return folder
            try:
                folder.mkdir()
            except FileExistsError:
                if folder.is_dir():
                    continue
                raise InvalidInput(f"folder {str(folder)!r} cannot be made: there is a file of that name") from None
            except OSError as error:
                raise InvalidInput(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
            return folder

    def _last_number(self) -> int:
        numbered = re.compile(rf"{re.escape(self._name)}-(\d{{1,9}})")
        found = (numbered.fullmatch(path.name) for path in ROOT.iterdir())
        return max((int(match[1]) for match in found if match), default=1)


def _holds_result(folder: Path) -> bool:
    return any((folder / name).exists() for name in (RECORDING, FIGURE))
