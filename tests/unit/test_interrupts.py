"""Ctrl-C and SIGTERM: what was recorded is kept; a run that goes on is equal to the bit to one that never stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint._interrupts import Stop, noted
from pushpoint.studies.results import load as load_study
from tests.unit.conftest import Shell
from tests.unit.test_cli_runs import TRACK, same

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

CPU_TIME = 1.0  # [s], from a signal until what was recorded is saved
END_OF_PYTHON = 0.5  # [s] of CPU time, to free its memory
FLAT = "transeth2008a/flat"
SLOW = {"robot.links": 60, "record_period": 0.1}  # few rows and steps in the time that passes
LONG = ("--duration", "2000", *(word for key, value in SLOW.items() for word in ("--set", f"{key}={value}")))
STUDY = ("study", "run", TRACK, "--jitter", "1e-3", "--measure", "distance", "--set", "duration=2", "--processes", "2")


class Wave(pp.BaseController):
    """A wave with a memory, which sends a signal at a tick."""

    def start(self, obs: Any) -> dict[str, Any]:
        return {"ticks": 0, "angle": np.zeros(self.joints)}

    def step(self, state: dict[str, Any], obs: Any) -> Any:
        state["ticks"] += 1
        state["angle"] += 0.01 * np.sin(3.0 * obs.time - np.arange(self.joints))  # in place, as some people do
        if state["ticks"] == self.at:
            self.stop()
        return state, self.command(state["angle"]), (pp.Event(obs.time, "tick", ""),) * (state["ticks"] % 7 == 0)

    at = -1

    @staticmethod
    def stop() -> None:
        os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def wave() -> Iterator[type[Wave]]:
    pp.register_controller("interrupted-wave")(Wave)
    yield Wave
    Wave.at = -1
    del pp.control.controllers._items["interrupted-wave"]


def scenario(**fields: Any) -> pp.Scenario:
    base = pp.scenarios.scenarios[FLAT].with_overrides({"controller": "interrupted-wave", "duration": 0.4})
    return base.with_overrides(fields)


@pytest.mark.parametrize(("tick", "rows"), [(1, 0.01), (17, 0.01), (18, 0.04), (40, 0.04)])
def test_a_run_stops_after_the_tick_and_goes_on_to_the_bit(wave: type[Wave], tick: int, rows: float) -> None:
    chosen = scenario(record_period=rows)
    whole = pp.simulate(chosen)
    wave.at = tick
    with pytest.raises(pp.Interrupted, match=f"was interrupted at t = {0.01 * tick:g} s") as raised:
        pp.simulate(chosen)
    wave.at = -1
    part = raised.value.recording
    assert part is not None
    assert raised.value.signal == signal.SIGINT
    assert part.checkpoint().tick == tick
    assert part.data.sizes["time"] == 1 + int(0.01 * tick / rows + 1e-9)
    if tick < 40:
        assert same(part.followed_by(pp.resume(part.checkpoint())), whole)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_commands_that_are_known_ahead_are_interrupted_too() -> None:
    chosen = pp.scenarios.scenarios[FLAT].with_overrides({"duration": 2000.0, **SLOW})
    pp.simulate(chosen, duration=0.1)  # compiles
    timer = threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    before = time.process_time()
    with pytest.raises(pp.Interrupted) as raised:
        pp.simulate(chosen)
    timer.join()
    assert time.process_time() - before < 0.6 + CPU_TIME
    part = raised.value.recording
    assert part is not None
    end = part.checkpoint().time + 0.5
    resumed = part.followed_by(pp.resume(part.checkpoint(), end))
    assert same(resumed, pp.simulate(chosen, duration=end))


def test_a_controller_that_never_returns_is_stopped_inside(wave: type[Wave], monkeypatch: pytest.MonkeyPatch) -> None:
    def for_ever() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass

    monkeypatch.setattr(wave, "stop", staticmethod(for_ever))
    wave.at = 5
    before = time.process_time()
    with pytest.raises(pp.Interrupted) as raised:
        pp.simulate(scenario())
    assert time.process_time() - before < CPU_TIME + 0.5
    part = raised.value.recording
    assert part is not None
    assert part.data.sizes["time"] == 5
    with pytest.raises(pp.InvalidInput, match="stopped inside a tick"):
        part.checkpoint()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_interrupt_is_no_failed_run_of_a_study(wave: type[Wave]) -> None:
    """It is no Exception, which loops around runs would swallow."""
    wave.at = 30
    with pytest.raises(KeyboardInterrupt):
        pp.run_study(scenario(), seeds=1, measures=["distance"], processes=1)
    assert not issubclass(pp.Interrupted, Exception)


def test_handlers_of_others_and_other_threads_are_left_alone() -> None:
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        own = signal.getsignal(signal.SIGINT)
        with noted():
            assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    found: list[Stop] = []

    def elsewhere() -> None:
        with noted() as stop:
            found.append(stop)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found[0].signal is None


# --- by the command line ---


def stopped(folder: Path, words: tuple[str, ...], number: int, after: float) -> tuple[int, str, float]:
    """Exit code, standard error and CPU time [s] since the signal of a command that gets one after so many seconds."""
    command = [sys.executable, "-m", "pushpoint", *words]
    with open(folder / "stderr", "w+", encoding="utf-8") as err:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=err)
        time.sleep(after)
        used = cpu_time(process.pid)
        os.kill(process.pid, number)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        # A KeyboardInterrupt inside of `exec`, such as that of a dataclass, lets Python end by SIGINT itself, handled
        # or not; shells show both as 130.
        code = 128 + number if process.returncode == -signal.SIGINT == -number else process.returncode
        return code, err.read(), usage.ru_utime + usage.ru_stime - used


def cpu_time(pid: int) -> float:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("inf")
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_run(folder: Path, number: int, after: float) -> bool:
    """Stop a run, check what is left, go on, compare; returns whether it had begun."""
    code, err, used = stopped(folder, ("run", FLAT, *LONG, "--out", "run"), number, after)
    assert code == 128 + number, err
    assert used < CPU_TIME + END_OF_PYTHON
    assert "error: interrupted" in err
    assert "Traceback" not in err
    if not (folder / "run").exists():
        return False
    assert "go on with: pushpoint resume run" in err
    part = pp.load(folder / "run" / "recording.nc")
    end = round(part.checkpoint().time + 1.0, 6)
    done = subprocess.run(
        [sys.executable, "-m", "pushpoint", "resume", "run", "--duration", str(end), "--out", "resumed"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    whole = pp.simulate(FLAT, SLOW, duration=end)
    assert same(pp.load(folder / "resumed" / "recording.nc"), whole)
    return True


def check_study(folder: Path, number: int, after: float) -> bool:
    """Stop a study and compare its rows with those of whole runs; returns whether there were some."""
    code, err, _ = stopped(folder, (*STUDY, "--seeds", "20000", "--out", "study"), number, after)
    assert code == 128 + number, err
    assert "error: interrupted" in err
    assert "Traceback" not in err
    if not (folder / "study").exists():
        return False
    found = load_study(folder / "study")
    assert found.interrupted
    if not found.rows:  # it was stopped while processes started
        return False
    row = found.rows[-1]
    alone = pp.simulate(found.study.scenario_of(row.variant, row.seed))
    assert row.values == {"distance": alone.metrics()["distance"]}
    assert "go on with: pushpoint study resume study" in err
    return True


def test_a_study_goes_on_with_the_runs_that_are_missing(shell: Shell, tmp_path: Path) -> None:
    words = (*STUDY[:-1], "1", "--set", "duration=0.05", "--seeds", "4")
    assert shell(*words, "--out", "whole")[0] == 0
    whole = load_study(tmp_path / "whole")
    replace(whole, rows=whole.rows[1:3], interrupted=True).save(tmp_path / "part")
    code, _, err = shell("study", "resume", "part", "--processes", "1")
    assert code == 0, err
    again = load_study(tmp_path / "part")
    assert [row.values for row in again.rows] == [row.values for row in whole.rows]
    assert again.rows[1:3] == whole.rows[1:3]


@pytest.mark.parametrize(("number", "after"), [(signal.SIGINT, 3.1), (signal.SIGTERM, 3.7), (signal.SIGINT, 0.9)])
def test_a_command_that_is_stopped_keeps_the_run(tmp_path: Path, number: int, after: float) -> None:
    check_run(tmp_path, number, after)


@pytest.mark.parametrize(("number", "after"), [(signal.SIGTERM, 9.0)])
def test_a_study_that_is_stopped_keeps_its_rows(tmp_path: Path, number: int, after: float) -> None:
    check_study(tmp_path, number, after)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_runs_and_studies_that_are_stopped_at_any_instant(tmp_path: Path, seed: int) -> None:
    draw = np.random.default_rng(seed)
    number = [signal.SIGINT, signal.SIGTERM][int(draw.integers(2))]
    for name, check, longest in (("a", check_run, 6.0), ("b", check_study, 12.0)):
        (tmp_path / name).mkdir()
        check(tmp_path / name, number, float(draw.uniform(0.5, longest)))
