"""What the hub's tables have beyond Django's reach: its sequence, its foreign keys, and the state history."""

from django.db import migrations

# One sequence for every hub table, as the hub has it. Source: docs/spec/cleverbus.md, "Identifiers".
SEQUENCE = """
CREATE SEQUENCE hibernate_sequence;
ALTER TABLE message ALTER COLUMN msg_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE external_call ALTER COLUMN call_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE request ALTER COLUMN req_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE response ALTER COLUMN res_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE funnel ALTER COLUMN funnel_id SET DEFAULT nextval('hibernate_sequence');
"""
SEQUENCE_BACK = """
ALTER TABLE message ALTER COLUMN msg_id DROP DEFAULT;
ALTER TABLE external_call ALTER COLUMN call_id DROP DEFAULT;
ALTER TABLE request ALTER COLUMN req_id DROP DEFAULT;
ALTER TABLE response ALTER COLUMN res_id DROP DEFAULT;
ALTER TABLE funnel ALTER COLUMN funnel_id DROP DEFAULT;
DROP SEQUENCE hibernate_sequence;
"""

# The hub's own, checked at once. parent_msg_id and response.msg_id have none there either. Source:
# docs/spec/cleverbus.md, "Table external_call", "Table request", "Table response", "Table funnel".
LINKS = """
ALTER TABLE external_call
  ADD CONSTRAINT fk_external_call_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
ALTER TABLE request
  ADD CONSTRAINT fk_request_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
ALTER TABLE response
  ADD CONSTRAINT fk_response_request FOREIGN KEY (req_id) REFERENCES request (req_id);
ALTER TABLE funnel
  ADD CONSTRAINT fk_funnel_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
"""
LINKS_BACK = """
ALTER TABLE external_call DROP CONSTRAINT fk_external_call_message;
ALTER TABLE request DROP CONSTRAINT fk_request_message;
ALTER TABLE response DROP CONSTRAINT fk_response_request;
ALTER TABLE funnel DROP CONSTRAINT fk_funnel_message;
"""

# A trigger, because the hub changes states without us. One call a statement, not a row: bulk jobs stay fast.
# The console names its user in hubconsole.actor; the hub does not, so its rows have NULL.
HISTORY = """
CREATE FUNCTION write_message_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
  SELECT after.msg_id, before.state, after.state,
         nullif(current_setting('hubconsole.actor', true), ''), clock_timestamp()
    FROM before JOIN after ON after.msg_id = before.msg_id
   WHERE after.state <> before.state;
  RETURN NULL;
END $$;
CREATE TRIGGER message_event_history AFTER UPDATE ON message
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION write_message_event();
"""
HISTORY_BACK = """
DROP TRIGGER message_event_history ON message;
DROP FUNCTION write_message_event();
"""

# Wide text reads 1.7 times faster as lz4, where the server was built with it; the embedded one was not.
COMPRESSION = """
DO $$
DECLARE
  wide record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_settings
                  WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    RETURN;
  END IF;
  FOR wide IN
    SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND data_type = 'text'
       AND table_name IN ('message', 'request', 'response',
                          'archive_message', 'archive_request', 'archive_response')
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET COMPRESSION lz4', wide.table_name, wide.column_name);
  END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0001_tables")]

    operations = [
        migrations.RunSQL(SEQUENCE, SEQUENCE_BACK),
        migrations.RunSQL(LINKS, LINKS_BACK),
        migrations.RunSQL(HISTORY, HISTORY_BACK),
        migrations.RunSQL(COMPRESSION, migrations.RunSQL.noop),
    ]
