"""The page of a report: everything is in it, nothing is beside it, and text stays text."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import platform
import re
from html.parser import HTMLParser

import pytest

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import check, printed
from pushpoint.reproduction.machine import machine, processor, versions
from pushpoint.reproduction.page import PAPERS, page, reason_of, topic_of, topics, without_folders
from pushpoint.scenario import Choice
from pushpoint.studies.jobs import RunNote
from tests.reports import ABOUT, failed, picture, report_of, verdict_on, whole_page

HOSTILE = "</script></td><script>document.title = 'taken'</script><img src=x onerror=alert(1)>\"'&"
VOID = {"meta", "link", "img", "input", "col", "rect"}


class Tree(HTMLParser):
    """Elements by tag, and whether all are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def whole() -> str:
    return whole_page()


def made_claim(**fields: object) -> Claim:
    data = {
        "id": "lab/x",
        "figure": "Fig. 1",
        "statement": "x is one",
        "published": printed("1.0"),
        "scenarios": ("lab/slope",),
        "measure": Choice(name="distance"),
    }
    return Claim(**{**data, **fields})  # type: ignore[arg-type]


def test_all_claims_and_checks_are_there_once(whole: str) -> None:
    tree = Tree(whole)
    bodies = [attrs for attrs in tree.of("tbody") if "data-state" in attrs]
    assert len(bodies) == len(list(claims)) == len({attrs["id"] for attrs in bodies})
    text = " ".join(tree.texts)
    for name in claims:
        claim = claims[name]
        assert name in text
        assert claim.statement in text
        assert claim.published.text in text
        assert claim.differs in text
        assert claim.note in text
    assert all(reference in text for reference in PAPERS.values())


def test_filters_count_what_is_there(whole: str) -> None:
    tree = Tree(whole)
    states = [attrs["data-state"] for attrs in tree.of("tbody") if "data-state" in attrs]
    assert [attrs["data-filter"] for attrs in tree.of("button") if "data-filter" in attrs] == ["all", *dict.fromkeys(
        state for state in ("confirmed", "differs", "holds", "failed") if state in states
    )]  # fmt: skip
    shown = re.findall(r'data-filter="(\w+)"[^>]*>\w+ <span>(\d+)</span>', whole)
    assert dict(shown) == {"all": str(len(states))} | {state: str(states.count(state)) for state in set(states)}


def test_nothing_is_loaded_from_elsewhere(whole: str) -> None:
    tree = Tree(whole)
    addresses = [
        attrs[name] for _, attrs in tree.elements for name in ("src", "href", "action", "data") if name in attrs
    ]
    assert all(address is not None and address.startswith(("data:", "#")) for address in addresses)
    assert not re.search(r"https?:|url\(|@import", whole)
    assert not any(name.startswith("on") or name == "style" for _, attrs in tree.elements for name in attrs)


def test_the_policy_allows_its_own_style_and_script_alone(whole: str) -> None:
    policy = next(attrs["content"] for attrs in Tree(whole).of("meta") if "http-equiv" in attrs) or ""
    assert policy.startswith("default-src 'none'; img-src data:; ")
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", whole, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy


def test_links_lead_somewhere(whole: str) -> None:
    tree = Tree(whole)
    places = [attrs["id"] for _, attrs in tree.elements if "id" in attrs]
    assert len(places) == len(set(places))
    assert {(attrs["href"] or "")[1:] for attrs in tree.of("a")} <= set(places)


def test_text_stays_text() -> None:
    claim = made_claim(figure=HOSTILE, statement=HOSTILE, note=HOSTILE, published=printed("1.0", HOSTILE), unit=HOSTILE)
    own = made_claim(id=f"lab/{HOSTILE}", statement=HOSTILE, published=check(HOSTILE, 0.0, 1.0, HOSTILE))
    notes = {HOSTILE: RunNote(1.0, {"duration": 1.0}, {"time_step": None, "remarks": [HOSTILE]}, (HOSTILE,))}
    report = report_of([verdict_on(claim), failed(own, HOSTILE)], notes)
    about = ABOUT.__class__({HOSTILE: HOSTILE}, {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE})
    pictures = [picture(f"{HOSTILE}/fig1", HOSTILE), picture("lab/fig2", HOSTILE, HOSTILE)]
    tree = Tree(page(report, pictures, about))
    assert len(tree.of("script")) == 1
    assert [attrs["alt"] for attrs in tree.of("img")] == [HOSTILE]
    assert not any(name.startswith("on") for _, attrs in tree.elements for name in attrs)
    assert sum(text.count("<script>document.title") for text in tree.texts) >= 10


def test_claims_are_grouped_by_figure_then_by_section() -> None:
    sources = ("VIII-B", "5.4.1, Fig. 5.11", "Figs. 10, 11", "Fig. 12a", "Fig. 5.3", "Fig. 9 and Fig. 14")
    verdicts = [verdict_on(made_claim(id=f"lab/{k}", figure=source)) for k, source in enumerate(sources)]
    found = topics(verdicts, [picture("lab/fig4", "Fig. 4: a curve")])
    assert list(found) == ["Fig. 4", "Fig. 5.3", "Fig. 5.11", "Fig. 9", "Fig. 10", "Fig. 12", "VIII-B"]
    assert found["Fig. 4"] == []
    assert topic_of("Property 13") == "Property 13"


def test_a_picture_stands_with_the_claims_of_its_figure() -> None:
    text = page(report_of([verdict_on(made_claim())]), [picture("lab/fig1"), picture("lab/fig2", "Fig. 2: b")], ABOUT)
    cards = text.split('<section class="card" data-group>')
    assert "<h3>Fig. 1 <small>a square</small></h3>" in cards[1]
    assert "<img" in cards[1]
    assert 'width="320" height="200"' in cards[1]
    assert "x is one" in cards[1]
    assert "<h3>Fig. 2 <small>b</small></h3>" in cards[2]


def test_a_figure_that_is_missing_says_why() -> None:
    text = page(report_of([]), [picture("lab/fig1", problem="KeyError: 'x'")], ABOUT)
    assert "There is no figure: KeyError: &#x27;x&#x27;." in text


def test_intervals_and_numbers_of_runs_are_shown() -> None:
    many = verdict_on(made_claim(seeds=20))
    assert "95 %: 0.9 to 1.1, 20 runs" in page(report_of([many]), [], ABOUT)
    few = many.__class__(many.claim, 1.0, interval=(-math.inf, math.inf))
    text = page(report_of([few]), [], ABOUT)
    assert "<small>20 runs</small>" in text
    assert "inf" not in text.split("<main>")[1].split("</main>")[0]


def test_reasons_of_all_kinds() -> None:
    differs = made_claim(differs="friction is not printed", ours=2.0, ours_within=0.1, note="See P1.")
    assert reason_of(verdict_on(differs)) == "friction is not printed See P1."
    assert "Not measured, lab/x: stopped" in reason_of(failed(made_claim(), "lab/x: stopped"))
    text = page(report_of([failed(made_claim(), "lab/x: stopped")]), [], ABOUT)
    assert 'data-state="failed"' in text
    assert "not measured</span>" in text


def test_no_folders_no_names_of_machines() -> None:
    text = "x in /folder/of/runs/my.py, line 3, and 'C:\\Users\\me\\a.csv': 3 m/s, lab/x, 1/2, N/m"
    assert without_folders(text) == "x in my.py, line 3, and 'a.csv': 3 m/s, lab/x, 1/2, N/m"
    facts = machine() | versions()
    assert {"processor", "cores", "system", "pushpoint", "Python", "numpy", "numba"} <= facts.keys()
    assert platform.node() not in facts.values()
    assert not any(os.sep + "home" in value for value in facts.values())
    assert processor()
