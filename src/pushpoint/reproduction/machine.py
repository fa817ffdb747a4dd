"""Which machine and which versions made a report: kind and number of processors, and no name of anybody's machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from pushpoint._version import __version__
from pushpoint.studies.result_cache import version_of

SYSTEMS = {"Darwin": "macOS"}
SHOWN = ("numpy", "numba", "xarray", "matplotlib", "mujoco", "daqp", "scipy")
MOST = 120  # [characters], of the name of a processor


def machine() -> dict[str, str]:
    """Processor, cores and family of the operating system."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count() or 1),
        "system": f"{SYSTEMS.get(platform.system(), platform.system())}, {platform.machine()}",
    }


def processor() -> str:
    """The name that its maker gave it, or else its architecture."""
    name = ""
    with suppress(OSError, subprocess.SubprocessError):
        if platform.system() == "Linux":
            text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
            found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", text, re.MULTILINE)
            name = found[1] if found else ""
        elif platform.system() == "Darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            name = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout
        else:
            name = platform.processor()
    return " ".join(name.split())[:MOST] or platform.machine()


def versions() -> dict[str, str]:
    """Of this package, Python, and the libraries that numbers and figures come from."""
    found = {"pushpoint": __version__, "Python": platform.python_version()}
    found |= {name: version_of(name) for name in SHOWN}
    return {name: value for name, value in found.items() if value != "absent"}
