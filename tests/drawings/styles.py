"""
The styles within the file of a drawing: the rules of static/css/drawings.css, with the colours of
static/css/tokens.css in both themes.

The manual leaves them out and has the style sheets. Readers of the repository see the file on its own.
"""

import re
from collections.abc import Iterable, Iterator

from tests.drawings.sources import ROOT

_TOKEN = re.compile(r"^\s*(--[\w-]+):\s*(.+?);$", re.MULTILINE)
_USED = re.compile(r"var\((--[\w-]+)")
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
# A file on its own does not load fonts.
_FONT = 'Inter, ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif'


def write_styles(states: Iterable[str]) -> str:
    """Return the styles of a drawing with boxes of these states."""
    rules = _COMMENT.sub("", (ROOT / "static/css/drawings.css").read_text(encoding="utf-8"))
    rules = re.sub(r"\s+", " ", rules.replace("var(--font)", _FONT)).strip()
    names = sorted(set(_USED.findall(rules)) - {"--tone", "--tone-soft"})
    tones = list(_write_tones(sorted(set(states) - {""})))
    names += sorted({name for _, values in tones for name in values} - set(names))
    light, dark = (" ".join(f"{name}: {_resolve(name, n)};" for name in names) for n in (0, 1))
    marks = " ".join(
        f'[data-state="{state}"] {{ --tone: var({values[0]}); --tone-soft: var({values[1]}); }}'
        for state, values in tones
    )
    return (
        f"svg {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}\n{marks}\n"
        + rules.replace("} ", "}\n")
    )


def _write_tones(states: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each state with the names of its two colours; KeyError if the console has no such state."""
    tones = {}
    for selectors, body in _RULE.findall(_tokens()):
        if colours := re.findall(r"--tone(?:-soft)?: var\((--[\w-]+)\)", body):
            tones |= dict.fromkeys(re.findall(r'data-state="(\w+)"', selectors), tuple(colours))
    for state in states:
        yield state, tones[state]


def _tokens() -> str:
    return (ROOT / "static/css/tokens.css").read_text(encoding="utf-8")


def _resolve(name: str, theme: int) -> str:
    """Return the value of a colour; `theme` is 0 for light and 1 for dark."""
    values = dict(_TOKEN.findall(_tokens()))
    value = values[name]
    if pair := re.fullmatch(r"light-dark\((.+?\)|[\w#]+), (.+)\)", value):
        value = pair[theme + 1]
    if inner := re.fullmatch(r"var\((--[\w-]+)\)", value):
        return _resolve(inner[1], theme)
    return value
