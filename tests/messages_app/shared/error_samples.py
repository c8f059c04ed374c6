"""Error texts with their causes, from the files in causes/."""

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "causes"
LABELLED = ("labelled.txt",)
# Written before the rule or its next version, to measure it with texts of other kinds.
HELD_OUT = tuple(f"held_out{number}.txt" for number in ("", *(f"_{n}" for n in range(2, 12))))


class Sample(NamedTuple):
    cause: str
    text: str


def read_samples(name: str) -> list[Sample]:
    """Return the texts of a file, the causes of which are named by lines with ==."""
    samples, cause = [], ""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            cause = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            samples.append(Sample(cause, _unescape(line)))
    return samples


def _unescape(line: str) -> str:
    marks = {r"\n": "\n", r"\t": "\t", r"\r": "\r"}
    parts = line.split("\\\\")
    for mark, plain in marks.items():
        parts = [part.replace(mark, plain) for part in parts]
    return "\\".join(parts)


class Pairs(NamedTuple):
    """
    How pairs of texts were grouped.

    Attributes:
        right: of one cause and in one group.
        merged: (text, text) of two causes in one group.
        split: (text, text) of one cause in two groups.
    """

    right: int
    merged: list[tuple[str, str]]
    split: list[tuple[str, str]]

    @property
    def precision(self) -> float:
        return self.right / (self.right + len(self.merged))

    @property
    def recall(self) -> float:
        return self.right / (self.right + len(self.split))


def compare_pairs(samples: list[Sample], groups: list[str]) -> Pairs:
    right, merged, split = 0, [], []
    for (sample, group), (other, other_group) in combinations(zip(samples, groups, strict=True), 2):
        is_one_cause, is_one_group = sample.cause == other.cause, group == other_group
        right += is_one_cause and is_one_group
        if is_one_group and not is_one_cause:
            merged.append((sample.text, other.text))
        if is_one_cause and not is_one_group:
            split.append((sample.text, other.text))
    return Pairs(right, merged, split)
