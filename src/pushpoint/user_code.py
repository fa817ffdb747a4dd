"""Python files of users: run once by `load_code`, known by name and hash, and named in messages with their lines.

Code runs because somebody asked for it, by `load_code` or `--load`. Data (scenarios, studies, recordings) run none.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import NamedTuple, NoReturn

from pushpoint.errors import InvalidInput, PushpointError, shown
from pushpoint.files import read_text
from pushpoint.registry import forget, remember, shown_path

SHOWN_DIGITS = 12  # of a hash in messages
MODULES = "_pushpoint_code_"  # begins the names of their modules


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A Python file that was loaded, as recordings know it."""

    name: str  # of the file, without its folder
    sha256: str  # of its text


class Source(NamedTuple):
    """A file as it was when it was loaded; other processes are given this, not the file."""

    path: str  # absolute
    text: str

    @property
    def file(self) -> CodeFile:
        return CodeFile(os.path.basename(self.path), hashlib.sha256(self.text.encode()).hexdigest())


_loaded: dict[str, Source] = {}  # by path, in the order of loading


def load_code(path: str | os.PathLike[str]) -> CodeFile:
    """Run a Python file that registers robots, worlds, controllers, sensors, measures or scenarios.

    Loaded again, a file replaces its own names. Modules beside it can be imported by it.

    Parameters
    ----------
    path
        Of the file; its name ends in .py.

    Returns
    -------
    CodeFile
        Its name and hash, which recordings of this process then hold.

    Raises
    ------
    InvalidInput
        If it cannot be read or run, or takes a name that belongs to pushpoint or to another file; the message names
        the file and the line. Names that it had registered before are then as they were.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pushpoint.files import write_text
    >>> path = Path(tempfile.mkdtemp()) / "my_measure.py"
    >>> lines = ("import pushpoint as pp", "@pp.register_measure('m')", "def one(run):", "    return 1.0")
    >>> write_text(path, "\\n".join(lines))
    >>> pp.load_code(path).name
    'my_measure.py'
    >>> "one" in pp.analysis.measures
    True
    """
    if Path(path).suffix != ".py":
        raise InvalidInput(f"file {str(path)!r} cannot be loaded: its name should end in .py")
    source = Source(str(Path(path).resolve()), read_text(Path(path), "file"))
    _run(source)
    return source.file


def loaded_files() -> tuple[CodeFile, ...]:
    """The files that were loaded in this process, in their order."""
    return tuple(source.file for source in _loaded.values())


def sources() -> tuple[Source, ...]:
    """For other processes: see `take_over`."""
    return tuple(_loaded.values())


def take_over(given: Iterable[Source]) -> None:
    """Run the files that another process has loaded, as they were there."""
    for source in given:
        if _loaded.get(source.path) != source:
            _run(source)


def keep_only(files: Iterable[tuple[str, str]]) -> None:
    """Forget what was loaded but for these files, by path and hash: a process may work for others than before."""
    wanted = set(files)
    for path, source in list(_loaded.items()):
        if (path, source.file.sha256) not in wanted:
            forget(path)
            del _loaded[path]


def _run(source: Source) -> None:
    """Run a file as a module. Its name is the same in all processes, so that objects can be sent between them."""
    path, text = source
    digest = hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:8]
    name = f"{MODULES}{Path(path).stem}_{digest}"
    if os.path.dirname(path) not in sys.path:
        sys.path.append(os.path.dirname(path))  # behind all others: a file of the user hides no library
    module, before = ModuleType(name), sys.modules.get(name)
    module.__file__ = path
    taken, former = forget(path), _loaded.get(path)
    _loaded[path] = source
    sys.modules[name] = module
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        forget(path)
        remember(taken)
        message = _message(error, path)
        _restore(path, former)
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        if isinstance(error, Exception | SystemExit):
            raise InvalidInput(message) from error
        raise


def _restore(path: str, former: Source | None) -> None:
    if former is None:
        del _loaded[path]
    else:
        _loaded[path] = former


def _message(error: BaseException, path: str) -> str:
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{shown_path(path)}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    if isinstance(error, SystemExit):
        return f"{place_of(error)}the file ends the program; it should only register names"
    place = place_of(error) or f"{shown_path(path)}: "
    return place + words_of(error)


def place_of(error: BaseException) -> str:
    """The line of a loaded file from which an error came, as a beginning of messages: ``"my.py, line 3: "``; empty if
    it came from none."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        for file, line in reversed(list(_places(cause))):
            if file in _loaded:
                return f"{shown_path(file)}, line {line}: "
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return ""


def _places(error: BaseException) -> Iterator[tuple[str, int]]:
    return ((frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__))


def words_of(error: BaseException) -> str:
    """The message alone if it is one of ours, else with the kind of error."""
    if isinstance(error, PushpointError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def described(error: BaseException) -> str:
    """What is said of an error that anybody's code may have raised: one line, with its place in a loaded file."""
    place, words = place_of(error), " ".join(words_of(error).split())
    return words if words.startswith(place) else place + words


def refuse_unloaded(files: Sequence[str], what: str) -> None:
    """Raise InvalidInput if files that something goes with are not loaded; it says how that is done."""
    names = {os.path.basename(path) for path in _loaded}
    absent = (file for file in files if str(Path(file).resolve()) not in _loaded)
    missing = [file for file in absent if os.path.basename(file) not in names]
    if missing:
        options = " ".join(f"--load {file}" for file in missing)
        raise InvalidInput(
            f"{what} goes with Python files that are not loaded, and data run no code: add {options} "
            f"(in Python: pp.load_code({missing[0]!r}){' and so on' if len(missing) > 1 else ''})"
        )


def refuse_changed(recorded: Sequence[CodeFile], what: str) -> None:
    """Raise InvalidInput if a file that is loaded is not as it was when something was made."""
    now = loaded_files()
    for file in recorded:
        others = [other for other in now if other.name == file.name]
        if others and file not in others:
            raise InvalidInput(
                f"{what} was made with another {file.name} than the one that is loaded: its hash was "
                f"{file.sha256[:SHOWN_DIGITS]}, now it is {others[-1].sha256[:SHOWN_DIGITS]}; "
                "--force (in Python: force=True) goes on all the same"
            )


def hint(recorded: Sequence[CodeFile]) -> str:
    """What to do about a name that is not known, if files that were loaded at the time are not loaded now."""
    missing = [file.name for file in recorded if file.name not in {other.name for other in loaded_files()}]
    if not missing:
        return ""
    return f" It was made with {', '.join(missing)}: {' '.join(f'--load {name}' for name in missing)}."


def refuse_result(place: str, what: str, result: object, wanted: str) -> NoReturn:
    """Raise InvalidInput on a result of the wrong type, with the place of what returned it."""
    raise InvalidInput(f"{place}{what} returned {shown(result)}; it should return {wanted}")
