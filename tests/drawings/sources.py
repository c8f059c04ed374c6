"""
The drawings of the manual: text files in the language of Graphviz, and the classes that they may use.

A box has a `class` for its kind and, for a state of the console, a `state` with its colour in
static/css/tokens.css. The first line of a label is its name, further lines explain it.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs/drawings"

# The kinds of boxes: one for each kind of thing, the same in all drawings.
KINDS = {
    "outside": "a person or a system outside the console",
    "process": "a process of the console",
    "table": "tables of a database",
    "file": "files",
    "step": "something that is done, or decided",
    "state": "a state, in its colour in the console",
    "note": "a remark",
}
# The kinds of arrows.
ARROWS = {
    "": "happens automatically",
    "person": "an action of a person",
    "rare": "happens only in some cases",
}
