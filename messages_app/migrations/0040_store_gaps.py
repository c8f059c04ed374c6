"""
No error of the triggers on the other two stores fails a statement of a hub either.

Whoever is the console hears of it: what it stores must be found again. Source:
docs/decisions/0023-triggers-never-fail-the-hub.md.
"""

import re
from importlib import import_module

from django.db import migrations

_DOCUMENTS = import_module("messages_app.migrations.0016_document_history")
_STORE = import_module("messages_app.migrations.0017_message_store")
_GAPS = import_module("messages_app.migrations.0037_trigger_gaps")

_FUNCTION = re.compile(
    r"CREATE (FUNCTION (\w+)\(\) RETURNS trigger LANGUAGE plpgsql)( AS \$\$.*?)(END\s+\$\$;)", re.DOTALL
)
_OURS = """EXCEPTION WHEN OTHERS OR query_canceled THEN
  IF current_setting('application_name') LIKE 'hubconsole%' THEN
    RAISE;
  END IF;
"""
_HANDLER = "EXCEPTION WHEN OTHERS OR query_canceled THEN\n"


def _functions(text: str) -> list[tuple[str, str, str, str]]:
    return _FUNCTION.findall(text)


def _guarded(text: str, *, area: str) -> str:
    """Return the functions of a text with a handler, with the rights of their owner and fixed settings."""
    handler = _GAPS._GAP.format(area=area).replace(_HANDLER, _OURS, 1)
    functions = _functions(text)
    guarded = (
        f"CREATE OR REPLACE {head} SECURITY DEFINER{body}{handler}{end}\n" for head, _, body, end in functions
    )
    return "".join(guarded) + _GAPS.fixed(*(name for _, name, _, _ in functions))


def _plain(text: str) -> str:
    """Return the functions of a text as they were, with fixed settings."""
    functions = _functions(text)
    plain = (f"CREATE OR REPLACE {head} SECURITY INVOKER{body}{end}\n" for head, _, body, end in functions)
    return "".join(plain) + _GAPS.fixed(*(name for _, name, _, _ in functions))


_OF_STORE = _STORE._COUNTS + _STORE._FROM_STORE + _STORE._FROM_PROCESS + _STORE._FROM_HISTORY


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0039_job_list_indexes")]

    operations = [
        migrations.RunSQL(_guarded(_DOCUMENTS._OPEN, area="documents"), _plain(_DOCUMENTS._OPEN)),
        migrations.RunSQL(_guarded(_OF_STORE, area="store"), _plain(_OF_STORE)),
        migrations.RunSQL(
            _guarded(_GAPS.sql_of("message_line_of_step"), area="store"), migrations.RunSQL.noop
        ),
    ]
