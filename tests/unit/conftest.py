"""What several tests of the command line share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pushpoint.cli.main import main

Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    """Call the command in an empty folder; returns exit code, standard output, standard error.

    Results are kept elsewhere, as tests replace parts of the program.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pushpoint.studies.result_cache.user_folder", lambda: None)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pushpoint", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call
