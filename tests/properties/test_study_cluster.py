"""Studies on a Dask cluster: the table of local processes to the bit, whatever happens to workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pushpoint as pp
from pushpoint.studies.results import load
from tests.properties.dask_cluster import LocalCluster
from tests.properties.masters import RUNS, WORDS, Master, checked, rows_in
from tests.properties.test_study_faults import table

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

MEASURE = """
import pushpoint as pp

@pp.register_measure("m")
def half_distance(run: pp.Recording) -> float:
    return 0.5 * pp.analysis.measures["distance"](run)
"""
OWN = ("--measure", "half_distance", "--load", "measure.py")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """The study on local processes, with a measure from a loaded file."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "measure.py").write_text(MEASURE, encoding="utf-8")
    with Master(folder, (*WORDS, *OWN)) as master:
        assert master.end() == 0, master.said
    pp.load_code(folder / "measure.py")  # once: to read a study, its measures have to be known
    return list(table(load(folder / "study").rows))


def on(cluster: LocalCluster) -> tuple[str, ...]:
    return (*WORDS, *OWN, "--cluster", cluster.address)


@pytest.mark.parametrize("killed", [False, True])
def test_a_cluster_gives_the_same_table_to_the_bit(killed: bool, tmp_path: Path, local: list[object]) -> None:
    """Files that are loaded travel along. With `killed`, one of two workers dies in the middle."""
    (tmp_path / "measure.py").write_text(MEASURE, encoding="utf-8")
    with LocalCluster(tmp_path, 2) as cluster, Master(tmp_path, on(cluster)) as master:
        if killed:
            master.until(RUNS // 4)
            cluster.workers[0].kill()
        assert master.end() == 0, master.said
        assert "measure.py, which it runs and can read" in master.said
    checked(tmp_path / "study")
    assert rows_in(tmp_path / "study") == RUNS
    assert table(load(tmp_path / "study").rows) == local


def test_recordings_come_back(tmp_path: Path) -> None:
    words = (*WORDS, "--seeds", "5", "--recordings")
    with LocalCluster(tmp_path, 1) as cluster, Master(tmp_path, (*words, "--cluster", cluster.address)) as master:
        assert master.end() == 0, master.said
    for row in load(tmp_path / "study").rows:
        kept = pp.load(tmp_path / "study" / "recordings" / row.recording)
        assert (kept.scenario.seed, kept.metrics()["distance"]) == (row.seed, row.values["distance"])


def made_certificate(folder: Path) -> tuple[str, str]:
    """Signed by itself, for this machine."""
    key, certificate = str(folder / "key.pem"), str(folder / "cert.pem")
    words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost")
    subprocess.run(["openssl", *words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def test_a_cluster_with_tls(tmp_path: Path) -> None:
    certificate, key = made_certificate(tmp_path)
    tls = ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
    words = (*WORDS, "--seeds", "4")
    with LocalCluster(tmp_path, 1, "--protocol", "tls", *tls) as cluster:
        assert cluster.address.startswith("tls://")
        with Master(tmp_path, (*words, "--cluster", cluster.address)) as master:
            assert master.end() == 2
            assert master.said.count("error: ") == 1
        assert not (tmp_path / "study").exists()
        given = ("--tls-ca", certificate, "--tls-cert", certificate, "--tls-key", key)
        with Master(tmp_path, (*words, "--cluster", cluster.address, *given)) as master:
            assert master.end() == 0, master.said
    assert rows_in(tmp_path / "study") == 4


def test_a_cluster_that_goes_away_is_one_line(tmp_path: Path, local: list[object]) -> None:
    (tmp_path / "measure.py").write_text(MEASURE, encoding="utf-8")
    with LocalCluster(tmp_path, 2) as cluster, Master(tmp_path, on(cluster)) as master:
        master.until(RUNS // 4)
        cluster.scheduler.kill()
        assert master.end() == 2
        assert master.said.count("error: ") == 1, master.said
        assert "Traceback" not in master.said
    command = [sys.executable, "-m", "pushpoint", "study", "resume", "study", "--load", "measure.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert table(load(tmp_path / "study").rows) == local
