"""Loads templates without the indentation of their lines, which is a fifth of a page around its rows."""

import re

from django.conf import settings
from django.template import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"\n\s+")


class Loader(filesystem.Loader):
    """
    Browsers show a line break with its indentation as one space; templates have none where spaces are kept.

    With DEBUG the lines stay, because errors in templates are shown with them.
    """

    def get_contents(self, origin: Origin) -> str:
        text = super().get_contents(origin)
        is_markup = str(origin.name).endswith(".html")
        return _INDENTATION.sub(" ", text) if is_markup and not settings.DEBUG else text
