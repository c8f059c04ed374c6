"""
Prints the sizes of the product's files and enforces their limits; a part of `make check`.

Migrations are not counted: they are history.
"""

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent

_FOLDERS = ("hubconsole", "messages_app", "spark_tasks")
_INIT = "__init__.py"

MIN_MEDIAN_LINES = 90
MAX_LINES = 400
MAX_SEAMS = 0
# A package whose only module is shorter than this should be that module.
SMALL_MODULE_LINES = 100


@dataclass(frozen=True, kw_only=True)
class Layout:
    """
    The sizes of a repository's product files.

    Args:
        lines: of each Python file, by its path.
        small_packages: packages that exist for one small module.
        seams: title comments in the middle of a module, which is several modules under one name.
        needless_inits: empty `__init__.py` files that no tool needs. import-linter only sees packages that
            have one, so they are needed wherever a module imports something.
    """

    lines: dict[str, int]
    small_packages: list[str]
    needless_inits: list[str]
    seams: list[str]

    @property
    def median_lines(self) -> float:
        return median(self.lines.values())

    @property
    def longest(self) -> tuple[str, int]:
        return max(self.lines.items(), key=lambda item: item[1])


def layout_of(root: Path) -> Layout:
    """Measure the product files below `root`."""
    files = [root / "manage.py", *(path for folder in _FOLDERS for path in _python_files(root / folder))]
    packages = [path.parent for path in files if path.name == _INIT]
    return Layout(
        lines={str(path.relative_to(root)): _line_count(path) for path in files},
        small_packages=[str(path.relative_to(root)) for path in packages if _is_for_one_small_module(path)],
        needless_inits=[
            str((path / _INIT).relative_to(root))
            for path in packages
            if not _line_count(path / _INIT) and not _imports_anything(path)
        ],
        seams=[
            f"{path.relative_to(root)}:{line}"
            for path in files
            for line in seams_of(path.read_text(encoding="utf-8"))
        ],
    )


def seams_of(text: str) -> list[int]:
    """Return the lines of comments between two empty lines, behind the first import or definition."""
    lines = text.splitlines()
    first = min((node.lineno for node in ast.parse(text).body[1:]), default=0)
    return [
        number
        for number in range(max(first, 2), len(lines))
        if lines[number - 1].startswith("# ")
        and not lines[number - 2]
        and _is_block_alone(lines[number - 1 :])
    ]


def _is_block_alone(lines: list[str]) -> bool:
    """Say whether an empty line follows the comment at the beginning of some lines."""
    return next((not line for line in lines if not line.startswith("#")), False)


def problems(layout: Layout) -> list[str]:
    """Return a line for each limit that is not kept."""
    path, most = layout.longest
    found = [
        (
            layout.median_lines < MIN_MEDIAN_LINES,
            f"the median file has {layout.median_lines:g} lines; at least {MIN_MEDIAN_LINES} are required",
        ),
        (most > MAX_LINES, f"{path} has {most} lines; at most {MAX_LINES} are allowed"),
        *((True, f"{package} is a package for one small module") for package in layout.small_packages),
        *((True, f"{init} is empty and not needed") for init in layout.needless_inits),
        (
            len(layout.seams) > MAX_SEAMS,
            f"{len(layout.seams)} title comments in the middle of modules; {MAX_SEAMS} are allowed:"
            " split the module, or drop the title\n" + "\n".join(layout.seams),
        ),
    ]
    return [text for is_problem, text in found if is_problem]


def main() -> int:
    """Print the figures; return 1 if a limit is not kept."""
    layout = layout_of(ROOT)
    sys.stdout.write(
        f"Layout: {len(layout.lines)} product files, median {layout.median_lines:g} lines,"
        f" longest {layout.longest[1]} ({layout.longest[0]}),"
        f" {len(layout.small_packages)} packages for one small module,"
        f" {len(layout.needless_inits)} empty {_INIT} that are not needed,"
        f" {len(layout.seams)} seams (title comments)\n"
    )
    found = problems(layout)
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


def _python_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "migrations" not in path.parts)


def _line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _is_for_one_small_module(package: Path) -> bool:
    files = _python_files(package)
    return len(files) == 2 and sum(map(_line_count, files)) < SMALL_MODULE_LINES


def _imports_anything(package: Path) -> bool:
    return any(
        isinstance(node, (ast.Import, ast.ImportFrom))
        for path in _python_files(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


if __name__ == "__main__":
    sys.exit(main())
