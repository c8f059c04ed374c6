"""The list of planted bugs names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_ROW = re.compile(r"^\| ([a-z ]+) \| .+ \| `(test_\w+\.py)`: `(test_\w+)` \|$", re.MULTILINE)
_OF_INCIDENTS = {"gathering", "merging and ends", "extraction", "comparison"}
_PARTS = _OF_INCIDENTS | {"erasure", "forms", "resending", "sensitive keys"}


def test_each_planted_bug_has_a_test():
    text = (ROOT / "docs/contributing/faults.md").read_text().partition("## Planted bugs")[2]
    rows = _ROW.findall(text)
    assert len(rows) == int(re.search(r"these (\d+) bugs", text)[1]) >= 25
    assert {part for part, _, _ in rows} == _PARTS
    texts = [(path.name, path.read_text()) for path in (ROOT / "tests").rglob("test_*.py")]
    missing = [
        (file, name)
        for _, file, name in rows
        if not any(of_file == file and f"def {name}(" in content for of_file, content in texts)
    ]
    assert missing == []
