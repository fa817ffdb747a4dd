"""Notebooks of the pages in `notebooks/`, made by `python docs/_notebooks.py`, and pictures that pages show.

A page is the source: prose becomes cells of Markdown, blocks of Python become cells of code, with the text and the
picture behind a block as what they put out. `python docs/_notebooks.py draw PAGE ...` runs pages and saves the `figure`
of each block that a picture follows. `python docs/_notebooks.py gallery` runs the examples and draws what they ran.
"""

from __future__ import annotations

import base64
import io
import json
import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

DOCS = Path(__file__).resolve().parent
PAGES = DOCS / "notebooks"
GALLERY = DOCS / "images" / "gallery"
PART = re.compile(
    r"^```python\n(?P<code>.*?)^```\n|^```text\n(?P<text>.*?)^```\n|^!\[[^\]]*\]\((?P<image>[^)]+)\)\n", re.M | re.S
)
# What notebooks leave out: comments, and the link to the notebook.
HIDDEN = re.compile(r"^<!-- run: .*?-->\n|^\{download\}[^\n]*\n", re.M | re.S)
LINK = re.compile(r"\[([^\]]+)\]\((?!http)[^)]+\)")
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
DPI, COLOURS = 60, 64  # of pictures: small files
MOST = 60_000  # [bytes], of a picture
LONG = ("train_peg_track", "evolve_peg_track")  # examples that draw what they learned themselves


def notebook(page: Path) -> str:
    """The notebook of a page, as the text of its file."""
    text, cells = HIDDEN.sub("", page.read_text(encoding="utf-8")), []
    at = 0
    for part in PART.finditer(text):
        cells += _prose(text[at : part.start()])
        at = part.end()
        if part["code"] is not None:
            code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": part["code"]}
            cells.append(code)
        elif part["text"] is not None:
            cells[-1]["outputs"].append({"name": "stdout", "output_type": "stream", "text": _lines(part["text"])})
        else:
            picture = base64.b64encode((page.parent / part["image"]).read_bytes()).decode()
            shown = {"data": {"image/png": picture}, "metadata": {}, "output_type": "display_data"}
            cells[-1]["outputs"].append(shown)
    cells += _prose(text[at:])
    for number, cell in enumerate(cells):
        cell["id"] = f"{page.stem}-{number}"
        cell["source"] = _lines(str(cell["source"]).strip("\n"))
    whole = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _prose(text: str) -> list[dict[str, Any]]:
    """A cell of Markdown, if there is any text; a notebook by itself has no other pages to link to."""
    return [{"cell_type": "markdown", "metadata": {}, "source": LINK.sub(r"\1", text)}] if text.strip() else []


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def save_small(figure: Figure, path: Path, box: Bbox | None = None) -> None:
    """A picture of few colours; `box` [inch]: a part of it."""
    from PIL import Image

    data = io.BytesIO()
    figure.savefig(data, dpi=DPI, bbox_inches=box)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(data).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def draw(page: Path) -> None:
    """Run a page and save the pictures that it shows."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    for part in PART.finditer(text):
        if part["code"] is not None:
            exec(compile(part["code"], str(page), "exec", dont_inherit=True), names)
        elif part["image"] is not None and "figure" in names:
            save_small(names.pop("figure"), page.parent / part["image"])


def draw_gallery() -> None:
    """Run the examples, but for those that take minutes; the picture of each is the scene of its last run."""
    import pushpoint as pp
    from pushpoint.view.figures import run_figure
    from pushpoint.view.space import is_spatial

    runs: list[pp.Recording] = []
    simulate = pp.simulate

    def noting(*args: Any, **options: Any) -> pp.Recording:
        runs.append(simulate(*args, **options))
        return runs[-1]

    pp.simulate = noting
    for example in sorted((DOCS.parent / "examples").glob("*.py")):
        if example.stem in LONG:
            continue
        runs.clear()
        runpy.run_path(str(example), run_name="__main__")
        if runs:
            figure = run_figure(runs[-1])
            save_small(figure, GALLERY / f"{example.stem}.png", _scene(figure, 2 if is_spatial(runs[-1]) else 1))


def _scene(figure: Figure, panels: int) -> Bbox:
    """What the first panels of a figure cover [inch]."""
    from matplotlib.transforms import Bbox

    figure.canvas.draw()
    boxes = [box for axes in figure.axes[:panels] if (box := axes.get_tightbbox()) is not None]
    whole = Bbox.union(boxes).transformed(figure.dpi_scale_trans.inverted())
    return whole.padded(0.05)


def main() -> None:
    """Make what the command line asks for."""
    given = sys.argv[1:]
    if given[:1] == ["gallery"]:
        draw_gallery()
    elif given[:1] == ["draw"]:
        for page in given[1:]:
            draw(Path(page).resolve())
    for page in sorted(PAGES.glob("*.md")):
        page.with_suffix(".ipynb").write_text(notebook(page), encoding="utf-8")


if __name__ == "__main__":
    main()
