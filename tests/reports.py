"""Reports that nobody computed, for tests of what is made of them."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PIL import Image

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import Scatter
from pushpoint.reproduction.page import About, Picture, page
from pushpoint.reproduction.report import Effort, Report, Verdict
from pushpoint.studies.jobs import RunNote

ABOUT = About(
    machine={"processor": "A Processor", "cores": "2", "system": "Linux, x86_64"},
    versions={"pushpoint": "0.1.0", "Python": "3.11.2"},
    times={"date": "2026-01-01 00:00 UTC", "took": "1.0 s"},
)


def verdict_on(claim: Claim) -> Verdict:
    """The number that is known, or one that is accepted."""
    bounds = [bound for bound in (claim.published.low, claim.published.high) if bound is not None]
    measured = claim.ours if claim.ours is not None else sum(bounds) / len(bounds)
    if claim.published.strict and claim.ours is None:
        measured += 1.0 if claim.published.low is not None else -1.0
    if claim.seeds == 1:
        return Verdict(claim, measured)
    return Verdict(claim, measured, interval=(measured - 0.1, measured + 0.1), scatter=Scatter(0.1, 0.1))


def failed(claim: Claim, problem: str) -> Verdict:
    return Verdict(claim, math.nan, problem)


def picture(name: str, title: str = "Fig. 1: a square", problem: str = "") -> Picture:
    image = io.BytesIO()
    Image.new("RGB", (320, 200), "#ffe0c0").save(image, "PNG")
    return Picture(name, title, ("lab/run",), b"" if problem else image.getvalue(), problem)


def report_of(verdicts: Sequence[Verdict], notes: dict[str, RunNote] | None = None) -> Report:
    return Report(tuple(verdicts), {}, notes or {}, Effort(1.0, 2.0, 3, 4))


def whole_page() -> str:
    """Of all claims that are registered."""
    verdicts = [verdict_on(claims[name]) for name in claims]
    papers = dict.fromkeys(verdict.claim.paper for verdict in verdicts)
    return page(report_of(verdicts), [picture(f"{paper}/fig1") for paper in papers], ABOUT)
