"""Studies that people run by their name."""

from __future__ import annotations

import math

import pytest

import pushpoint as pp
from pushpoint.analysis import measures
from pushpoint.analysis.effort import cost_of_transport
from pushpoint.api import find_study
from pushpoint.errors import InvalidInput
from pushpoint.scenarios.lab_clutter import FIELDS
from pushpoint.simulation import Setup
from pushpoint.studies import Study
from pushpoint.studies.named import studies
from pushpoint.studies.named.clutter_benchmark import entry_table
from pushpoint.studies.named.clutter_hopeless import shares_table
from pushpoint.studies.results import Results, Row
from tests.unit.conftest import Shell

NAME = "clutter-benchmark"


@pytest.mark.parametrize("name", list(studies))
def test_every_named_study_has_a_title_and_survives_its_files(name: str) -> None:
    assert studies[name].title
    assert Study.from_yaml(studies[name].study.to_yaml()) == studies[name].study


@pytest.mark.parametrize("field", list(FIELDS))
def test_any_controller_can_enter_in_every_field(field: str) -> None:
    study = find_study(NAME, {"controller": "crawl"})
    scenario = study.scenario_of(field, seed=1100)
    assert scenario.controller.name == "crawl"
    assert scenario.built_world().obstacles or field == "empty"
    Setup.of(scenario)  # refuses robots and worlds that do not fit


def test_unknown_names_are_looked_for_among_scenarios() -> None:
    with pytest.raises(InvalidInput, match="scenario 'cluttered-benchmark'"):
        find_study("cluttered-benchmark")


def test_a_table_of_an_entry() -> None:
    short = [
        {"name": "displacement", "options": {"axis": "x", "end": 0.1}, "label": "progress"},
        "mean_speed_x",
        {"name": "cost_of_transport", "options": {"end": 0.1}},
        "peak_joint_torque",
    ]
    variants = {"100": {}, "empty": {"world.keep": 0.0}}
    found = pp.run_study(NAME, {"duration": 0.1}, seeds=[1100, 1101], variants=variants, measures=short, processes=1)
    lines = entry_table(found).splitlines()
    assert lines[0].startswith("| field | crossed [%] | 95 % | speed [mm/s] | cost of transport |")
    assert lines[1] == "|---|---|---|---|---|---|---|"
    assert [line.split(" | ")[:3] for line in lines[2:]] == [["| 100", "0", "0 to 66"], ["| empty", "0", "0 to 66"]]


def test_shares_with_and_without_hopeless_fields() -> None:
    """Marks and distances that are made up: two fields with a path, of which one is crossed, and two without, of which
    none is; one of them failed, and has no mark."""
    study = find_study("clutter-hopeless")
    found = [(1100, 1.6, 1.0), (1101, 1.4, 1.0), (1102, 0.2, 0.0)]
    rows = [Row("50", seed, "ok", "", 0.0, {"progress": far, "passable": mark}) for seed, far, mark in found]
    lines = shares_table(Results(study, [*rows, Row("50", 1103, "failed", "a step", 0.0)])).splitlines()
    assert lines[-1] == "| 50 | 4 | 1 | 1 of 4: 25 [5, 70] | 1 of 2: 50 [9, 91] | 0 of 1: 0 [0, 79] |"
    assert len(lines) == 3


def test_fields_without_marks_are_not_said_to_have_push() -> None:
    """All runs failed, or the study does not ask for marks."""
    lines = shares_table(Results(find_study("clutter-hopeless"), [Row("50", 1100, "failed", "a step", 0.0)]))
    assert lines.splitlines()[-1] == "| 50 | 1 | no marks | 0 of 1: 0 [0, 79] | - | - |"
    unmarked = Results(find_study(NAME), [Row("50", 1100, "ok", "", 0.0, {"progress": 1.6})])
    assert shares_table(unmarked).splitlines()[-1].startswith("| 50 | 1 | no marks | 1 of 1: 100 ")


def test_columns_that_a_table_needs_are_named() -> None:
    other = Results(Study(scenario="lab/clutter-100", measures=("mean_speed_x",)), [])
    with pytest.raises(
        InvalidInput, match=r"'progress', 'cost_of_transport', 'peak_joint_torque' missing, .* are mean"
    ):
        entry_table(other)
    with pytest.raises(InvalidInput, match="'progress' missing"):
        shares_table(other)
    study = find_study(NAME)
    row = Row("100", 1100, "ok", "", 0.0, dict.fromkeys(study.columns, 2.0))
    lines = entry_table(Results(Study.parse({**dict(study), "beyond": {}}), [row])).splitlines()
    assert lines[2].startswith("| 100 | 100 |")


def test_no_path_leads_through_an_empty_field() -> None:
    run = pp.simulate("lab/clutter-empty", duration=0.01)
    assert measures["has_push_path"](run) == 0.0


def test_cost_of_transport_is_servo_work_per_weight_and_distance() -> None:
    run = pp.simulate("lab/clutter-crawl-empty", duration=2.0)
    work = float(run.data["servo_work"].values[-1])
    moved = float(run.data["centre_of_mass"].values[-1, 0] - run.data["centre_of_mass"].values[0, 0])
    expected = work / (10.0 * 9.81 * moved) if moved > 0 else math.inf
    assert cost_of_transport(run, end=2.0) == pytest.approx(expected)
    assert cost_of_transport(run, axis="y", end=0.0) == math.inf


def test_named_studies_are_listed(shell: Shell) -> None:
    code, out, _ = shell("list", "studies")
    assert code == 0
    assert NAME in out
