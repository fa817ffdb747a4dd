"""The table of the documentation that says which plant supports what."""

from __future__ import annotations

from pushpoint.plants import plants
from pushpoint.plants._supports import FEATURES, Supports


def all_models() -> list[Supports]:
    """Every model of every plant; planar ones first, and of these the one first that supports most."""
    models = [model for name in plants for model in plants[name].supports]
    return sorted(models, key=lambda model: (model.dimensions, -model.size))


def capability_table() -> str:
    """In Markdown: a line per feature, a column per model."""
    models = all_models()
    lines = [["", *map(_heading, models)], ["---"] * (len(models) + 1)]
    lines.append(["dimensions", *(str(model.dimensions) for model in models)])
    for group, features in FEATURES.items():
        for feature, words in features.items():
            lines.append([words, *("yes" if model.has(group, feature) else "-" for model in models)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _heading(model: Supports) -> str:
    if model.is_default or model.option is None:
        return f"`{model.plant}`"
    return f"`{model.plant}`, `{model.option[0]}: {model.option[1]}`"
