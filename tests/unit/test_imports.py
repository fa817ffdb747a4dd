"""Commands import what they need: a claim or a study of one scenario not those of all papers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# Modules of pushpoint until the first run begins; plants, and figures, are imported later. Measured when set: claim 82
# (4 for processes and the cache of results, 8 of the room of simulations), paper 95 (17 for its figures, which say
# what else has to run), study 78 (5 for the store, its keys, sweeps and named studies).
MOST = {
    ("reproduce", "transeth2008a/flat-speed"): 82,
    ("reproduce", "transeth2008a"): 102,
    ("study", "run", "transeth2008a/track"): 80,
}

UNTIL_THE_FIRST_RUN = """
import json, sys
import pushpoint.simulation
from pushpoint.cli.main import main

class Setup:
    @staticmethod
    def of(*_, **__):
        print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "pushpoint")))
        raise SystemExit

pushpoint.simulation.simulate, pushpoint.simulation.Setup = Setup.of, Setup
sys.argv = ["pushpoint", *json.loads(sys.argv[1])]
main()
"""

KEYS_BEFORE_ALL = """
from pushpoint.{module} import {registry} as registry
by_key = {{key: registry.names_of(key) for key in {keys}}}
print([key for key, names in by_key.items() if names != [name for name in registry if name.startswith(key + "/")]])
"""


def imported(*words: str) -> list[str]:
    """Modules that a command imports before it runs anything."""
    words += ("--fresh", "--processes", "1") if words[0] == "reproduce" else ()
    code = [sys.executable, "-c", UNTIL_THE_FIRST_RUN, json.dumps(words)]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", MOST, ids=" ".join)
def test_a_command_imports_few_modules(words: tuple[str, ...]) -> None:
    names = imported(*words)
    print(len(names), *names)
    assert len(names) <= MOST[words]
    rooms = ("pushpoint.reproduction.claims_of.", "pushpoint.scenarios.", "pushpoint.view.papers.")
    data = [name.rpartition(".")[2] for name in names if name.startswith(rooms)]
    assert [name for name in data if not name.startswith(("_", "transeth2008a", "lab"))] == []  # P2's Fig. 7 is in lab


@pytest.mark.parametrize(
    ("module", "registry"), [("reproduction", "claims"), ("scenarios", "scenarios"), ("view.papers", "paper_figures")]
)
def test_items_of_a_key_are_in_modules_named_after_it(module: str, registry: str) -> None:
    """Else `names_of` would miss some of them, unless everything was imported before."""
    keys = ["koushan2020", "lab", "liljeback2010", "liljeback2014", "transeth2008a", "transeth2008b"]
    code = KEYS_BEFORE_ALL.format(module=module, registry=registry, keys=keys)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
