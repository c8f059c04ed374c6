"""The demo's dice: seeded, so that the same demo can be made again. Scenery only, never secrets."""

from random import Random


def dice(seed: int | str) -> Random:
    """Return a source of chance that gives the same for the same seed."""
    return Random(seed)  # noqa: S311 (a demo, no secret)
