"""Classes are named after components, their states, or as utilities; each class in a style is used."""

from tests.rules import classes
from tests.rules.classes import SCHEME, classes_of_markup, classes_of_style

# The cells of the message list have the names of their columns, and states those of what they show.
_PREFIXES_WITH_VARIABLES = ("c-rows-", "is-")


def other_names(paths, read) -> dict[str, set[str]]:
    """Return the classes that do not follow the scheme, by file."""
    names = {path.name: {name for name in read(path) if not SCHEME.fullmatch(name)} for path in paths}
    return {name: others for name, others in names.items() if others}


class TestClasses:
    def test_of_styles_follow_the_scheme(self):
        assert len(classes.styles()) > 25
        assert other_names(classes.styles(), classes_of_style) == {}

    def test_of_templates_and_modules_follow_the_scheme(self):
        assert len(classes.templates()) > 150
        assert other_names([*classes.templates(), *classes.modules()], classes_of_markup) == {}

    def test_are_not_named_after_an_area(self):
        areas = classes.words_of_areas()
        assert {"jobs", "job", "failures", "failure", "queue", "messages", "message"} <= areas
        names = {name for path in classes.styles() for name in classes_of_style(path)}
        assert {name for name in names if name.split("-")[1:2] and name.split("-")[1] in areas} == set()

    def test_of_styles_are_used(self):
        words = classes.words_of_product()
        names = {name for path in classes.styles() for name in classes_of_style(path)}
        assert {name for name in names if not name.startswith(_PREFIXES_WITH_VARIABLES)} - words == set()

    def test_are_found_in_each_form_of_markup(self, tmp_path):
        template = tmp_path / "a.html"
        template.write_text(
            '<p class="c-a{% if b %} is-b{% endif %} is-{{ c }}">{% column "d" class="u-e" head="f" %}'
            '<i class="{% if g %}c-h{% else %}c-i{% endif %}">'
        )
        assert list(classes_of_markup(template)) == ["c-a", "is-b", "u-e", "c-h", "c-i", "f"]
        style = tmp_path / "a.css"
        style.write_text(
            "/* .j */\n.c-k > .l:hover,\n.dark .m {\n  margin: .5em;\n}\n@media (x) {\n  .n-o {}\n}\n"
        )
        assert list(classes_of_style(style)) == ["c-k", "l", "m", "n-o"]
