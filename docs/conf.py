"""Sphinx configuration: MyST pages, no network, no import of the package."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION_FILE = ROOT / "src" / "pushpoint" / "_version.py"


def _version() -> str:
    found = re.search(r'__version__ = "(.+)"', VERSION_FILE.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{VERSION_FILE} holds no version")
    return found.group(1)


project = "pushpoint"
author = "The pushpoint authors"
copyright = "the pushpoint authors, Apache-2.0"
release = version = _version()

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"pushpoint {release}"
html_show_copyright = False
