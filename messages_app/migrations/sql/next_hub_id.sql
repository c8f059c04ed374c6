-- The next id of the sequence that all tables of the hub share: that of an attached hub, or the console's own. Runs as
-- its owner, so that no other role of the console needs a privilege on the sequence.
-- Source: docs/contributing/spec/cleverbus.md, "Identifiers".
CREATE FUNCTION hub_sequence() RETURNS regclass LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT format('%I.%I', hub_schema,
                                 CASE rules WHEN 'openhub' THEN 'openhub_sequence' ELSE 'hibernate_sequence' END)
                     FROM attachment), 'hibernate_sequence')::regclass
$$;
CREATE FUNCTION next_hub_id() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER AS $$
  SELECT nextval(hub_sequence())
$$;
DO $$
DECLARE
  own name := (SELECT nspname
                 FROM pg_namespace
                 JOIN pg_class ON relnamespace = pg_namespace.oid
                WHERE pg_class.oid = 'message_event'::regclass);
BEGIN
  EXECUTE format('ALTER FUNCTION hub_sequence() SET search_path = pg_catalog, %I, pg_temp', own);
  EXECUTE format('ALTER FUNCTION next_hub_id() SET search_path = pg_catalog, %I, pg_temp', own);
END $$;
