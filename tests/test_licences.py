"""Each locked package has a licence under which the console may use it (docs/reference/security.md)."""

from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata

import pytest

from tests.support.licences import ALLOWED, EXCEPTIONS, read_licences
from tests.support.locks import ROOT, names_here


def find_refused() -> dict[str, set[str]]:
    """
    Return the licences of each package locked for this system that are not allowed; empty: it declares none.
    """
    names = {name for kind in ("", "-test") for name in names_here(ROOT / f"requirements{kind}.lock")}
    refused = {}
    for name in names:
        try:
            licences = read_licences(metadata(name))
        except PackageNotFoundError:
            licences = set()
        if not licences or not licences <= ALLOWED:
            refused[name] = licences
    return refused


class TestLockedPackages:
    def test_have_allowed_licences_except_for_those_of_the_list(self):
        assert sorted(find_refused()) == sorted(EXCEPTIONS)


class TestReadLicences:
    @pytest.mark.parametrize(
        ("fields", "licences"),
        [
            ([("License-Expression", "MIT AND (BSD-3-Clause OR Apache-2.0)")], "Apache-2.0 BSD-3-Clause MIT"),
            ([("License-Expression", "GPL-3.0-only"), ("License", "MIT")], "GPL-3.0-only"),
            ([("Classifier", "License :: OSI Approved :: MIT License"), ("License", "x")], "MIT"),
            (
                [("Classifier", "License :: OSI Approved :: GNU General Public License v2 (GPLv2)")],
                "GPL-2.0-only",
            ),
            (
                [("Classifier", "Programming Language :: Python"), ("License", "LGPLv3\nand more")],
                "LGPL-3.0-only",
            ),
            ([("License", "Ask the author")], "Ask the author"),
            ([], ""),
        ],
    )
    def test_reads_the_expression_then_classifiers_then_the_text(self, fields, licences):
        declared = Message()
        for name, value in fields:
            declared.add_header(name, value)
        assert " ".join(sorted(read_licences(declared))) == licences
