"""Runs for statements of P5 that its figures do not show: another friction. P5 tried some and gives no numbers."""

from __future__ import annotations

from pushpoint.scenarios.transeth2008b import LATERAL, add

for name, friction in (("low", 0.1), ("high", 0.4)):
    title = f"Lateral undulation where the friction is {friction:g} in all directions"
    add(f"undulation-friction-{name}", title, "VIII-D; the friction is ours", {"friction": friction}, LATERAL)
