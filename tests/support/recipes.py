"""
The code of docs/contributing/recipes.md, so that tests run what the page says.

It does not import the product, because some blocks run before Django is ready.
"""

import re
from pathlib import Path
from textwrap import dedent

PAGE = Path(__file__).parents[2] / "docs/contributing/recipes.md"
_BLOCK = re.compile(r"^ *```python\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_RECIPE = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)


def read_blocks(text: str = "") -> list[tuple[str, str]]:
    """Return each Python block of a page, by default of the recipes, with the heading above it."""
    return [
        (heading, dedent(block))
        for heading, section in _RECIPE.findall(text or PAGE.read_text("utf-8"))
        for block in _BLOCK.findall(section)
    ]


def run_block(
    heading: str, *, defines: str, names: dict[str, object] | None = None, text: str = ""
) -> dict[str, object]:
    """
    Run the block below a heading that defines a name.

    Args:
        names: the names of the module for which the block is written.
        text: of another page.

    Returns:
        The names of that module and of the block.
    """
    definition = re.compile(rf"^(?:class )?{defines}\b", re.MULTILINE)
    (block,) = [block for above, block in read_blocks(text) if above == heading and definition.search(block)]
    # A class of a module that cannot be imported is pickled completely: executors do not have the tests.
    module = {**(names or {}), "__name__": "recipe"}
    exec(block, module)  # noqa: S102  # a page of this repository
    return module
