"""Runs for statements of P5 that its figures do not show: another friction. P5 tried some and gives no numbers."""

from __future__ import annotations

from pushpoint.scenarios.transeth2008b import add

for name, friction in (("low", 0.1), ("high", 0.4)):
    add(
        f"undulation-friction-{name}",
        f"Lateral undulation where the friction is {friction:g} in all directions",
        "VIII-D; the friction is ours",
        {"friction": friction},
        {"preset": "lateral-undulation"},
    )
