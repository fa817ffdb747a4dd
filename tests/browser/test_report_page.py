"""The page of a report as people see it: from the disk, offline, light and dark, wide and narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from pushpoint.reproduction import claims
from pushpoint.reproduction.page import page
from tests.browser.chromium import Browser
from tests.reports import ABOUT, failed, picture, report_of, verdict_on, whole_page

SEEN = "[...document.querySelectorAll('tbody[data-state]')].filter((e) => e.getClientRects().length).length"
TYPE = "(text) => {search.value = text; search.dispatchEvent(new Event('input'))}"
TAKEN = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(whole_page(), encoding="utf-8")
    return path


def test_it_opens_from_the_disk_without_complaint_or_request(browser: Browser, address: Path) -> None:
    opened = browser.open(address)
    assert opened.run(SEEN) == len(list(claims))
    assert opened.run("[...document.images].every((image) => image.naturalWidth === 320)")
    assert opened.complaints == []
    assert opened.requests == [address.as_uri()]


def test_filters_show_what_they_say(browser: Browser, address: Path) -> None:
    opened = browser.open(address)
    count = int(opened.run("document.querySelector('[data-filter=differs] span').textContent"))
    opened.click("[data-filter=differs]")
    assert opened.run(SEEN) == count > 0
    assert opened.run("document.getElementById('shown').textContent") == f"{count} of {len(list(claims))} shown"
    assert opened.run("document.querySelector('[data-filter=differs]').ariaPressed") == "true"
    assert opened.run("document.getElementById('checks').getClientRects().length") == 0  # checks never differ
    opened.run(f"({TYPE})('zzz')")
    assert opened.run(SEEN) == 0
    opened.run(f"({TYPE})('TRACK-X6-CONVERGED')")
    opened.click("[data-filter=all]")
    assert opened.run(SEEN) == 1
    assert opened.complaints == []


def test_light_and_dark(browser: Browser, address: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (browser.open(address, scheme=scheme) for scheme in ("light", "dark"))
    seen = (light.run(ground), dark.run(ground))
    assert seen[0] != seen[1]
    for opened, other in ((light, seen[1]), (dark, seen[0])):
        opened.click("#theme")
        assert opened.run(ground) == other
    dark.prefer("light")  # the choice stays
    assert dark.run(ground) == seen[0]


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_sticks_out(browser: Browser, address: Path, width: int) -> None:
    opened = browser.open(address, width=width)
    assert opened.run("document.documentElement.scrollWidth") <= width


def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path) -> None:
    claim = claims["transeth2008a/track-x6"]
    hostile = claim.model_copy(update={"statement": TAKEN, "figure": TAKEN})
    report = report_of([verdict_on(hostile), failed(hostile.model_copy(update={"id": f"lab/{TAKEN}"}), TAKEN)])
    path = tmp_path / "report.html"
    path.write_text(page(report, [picture("lab/fig1", TAKEN), picture("lab/fig2", problem=TAKEN)], ABOUT))
    opened = browser.open(path)
    assert opened.run("document.title") == "Published against measured"
    assert opened.run("document.images.length") == 1
    assert opened.complaints == []
    assert opened.requests == [path.as_uri()]


def test_it_can_be_read_without_scripts(browser: Browser, address: Path) -> None:
    opened = browser.open("about:blank")
    opened.send("Emulation.setScriptExecutionDisabled", value=True)
    opened.go(address.as_uri())
    assert opened.requests == [address.as_uri()]
    assert opened.complaints == []
