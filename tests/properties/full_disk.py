"""Runs of the command line whose files may not become longer than so many bytes: `python full_disk.py FOLDER SIZE...`.

Each run writes to the same folder. Prints exit code and last line for each.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys

from pushpoint.cli.main import main

WORDS = ("pushpoint", "run", "transeth2008a/track", "--duration", "0.2", "--out")


def attempt(folder: str) -> tuple[int, str]:
    sys.argv, said, code = [*WORDS, folder], io.StringIO(), 0
    with contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, said.getvalue()


if __name__ == "__main__":
    for size in sys.argv[2:]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
        print(json.dumps(attempt(sys.argv[1])), file=sys.stderr)
