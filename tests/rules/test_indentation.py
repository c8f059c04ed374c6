"""Closing tags of templates are below their opening tags."""

import pytest

from tests.rules.indentation import misplaced_tags
from tests.rules.lines import KINDS, ROOT, files


@pytest.fixture
def template(tmp_path):
    return tmp_path / "a.html"


class TestMisplacedTags:
    def test_has_none_in_the_templates(self):
        assert ".html" in KINDS
        paths = [path for path in files() if path.suffix == ".html"]
        assert len(paths) > 150
        assert {path.relative_to(ROOT): tags for path in paths if (tags := list(misplaced_tags(path)))} == {}

    @pytest.mark.parametrize(
        ("text", "tags"),
        [
            ("<div>\n  <p>a</p>\n  </div>\n", ["a.html:3 <div> is opened in line 1"]),
            ("  {% if a %}\n  a\n{% endif %}\n", ["a.html:3 if is opened in line 1"]),
            ("  {% if a %}\n{% else %}\n  {% endif %}\n", ["a.html:2 if is opened in line 1"]),
            ("{% for a in b %}\n  {% if a %}\n{% empty %}\n  {% endif %}\n{% endfor %}\n", []),
            ("{% for a in b %}\n  {% table a %}\n  {% empty %}\n  {% endtable %}\n{% endfor %}\n", []),
            ("<ul>\n  <li>a\n  </li>\n</ul>\n", []),
            ('<a href="{% url "b" %}">\n  <br><input>\n</a>\n', []),
            ("a {% if a %}\n  b{% endif %}\n", []),
            ("{% comment %}\n  <div>\n{% endcomment %}\n  </div>\n", []),
        ],
    )
    def test_names_each_of_them(self, template, text, tags):
        template.write_text(text)
        assert list(misplaced_tags(template)) == tags
