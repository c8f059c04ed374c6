import pytest
from django.template import engines
from django.template.loader import get_template
from django.test import override_settings

from hubconsole.template_loader import Loader


class TestLoader:
    @pytest.mark.parametrize(("debug", "is_kept"), [(False, False), (True, True)])
    def test_leaves_out_indentation_unless_errors_are_shown(self, debug, is_kept):
        origin = get_template("base.html").origin
        with override_settings(DEBUG=debug):
            text = Loader(engines["django"].engine).get_contents(origin)
        assert ("\n  " in text) is is_kept
        assert '<a class="c-skip-link" href="#content">Skip to content</a>' in text
