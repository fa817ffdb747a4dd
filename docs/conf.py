"""Sphinx configuration: MyST pages, API pages from docstrings, no network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "docs")]  # the package, and _fields
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

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "_fields"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
default_role = "py:obj"  # of single back quotes in docstrings: a link, or as it is
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_type_aliases = {"FloatArray": "array"}
napoleon_google_docstring = False
napoleon_use_ivar = True
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"pushpoint {release}"
html_show_copyright = False
