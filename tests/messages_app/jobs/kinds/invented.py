"""
A kind of job that the product does not have, from the blocks of the recipe "Add a job kind" in
docs/contributing/recipes.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from messages_app.jobs.engine.runner import DRIVERS
from messages_app.jobs.kinds import options, registry
from messages_app.jobs.kinds.registry import kind_specs
from tests.support.recipes import run_block

_RECIPE = "Add a job kind"
KIND = "weigh"

_option = run_block(_RECIPE, defines="DEPTH", names=vars(options))["DEPTH"]
SPEC = run_block(_RECIPE, defines="WEIGH", names=vars(registry) | {"DEPTH": _option})["WEIGH"]
_action = run_block(_RECIPE, defines="Weigh")["Weigh"]
DRIVER = run_block(_RECIPE, defines="Weighing", names={"Weigh": _action})["Weighing"]


@contextmanager
def registered(**changes: object) -> Iterator[None]:
    """
    Register the kind for a while: one record, and one driver by its name.

    Args:
        changes: fields of the record that differ from SPEC.
    """
    before = kind_specs.get(KIND), DRIVERS.get(KIND)
    kind_specs[KIND], DRIVERS[KIND] = replace(SPEC, **changes), DRIVER()
    try:
        yield
    finally:
        for registry, value in zip((kind_specs, DRIVERS), before, strict=True):
            del registry[KIND]
            if value is not None:
                registry[KIND] = value
