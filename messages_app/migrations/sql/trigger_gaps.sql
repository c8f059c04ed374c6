-- Record what a trigger function could not note (messages_app/core/trigger_gaps.py). They cannot fail their caller.
CREATE FUNCTION note_trigger_gap(area text, code text, reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' AS $$
BEGIN
  INSERT INTO trigger_gap (area, sqlstate, reason, first_at, last_at, statements)
  VALUES (area, code, left(reason, 300), clock_timestamp(), clock_timestamp(), 1);
EXCEPTION WHEN OTHERS OR query_canceled THEN
  RAISE LOG 'hubconsole: a gap in % could not be noted: % %, after % %', area, SQLSTATE, SQLERRM, code, reason;
  PERFORM nextval('trigger_gap_lost');
END $$;

CREATE FUNCTION lost_trigger_gaps() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
  RETURN (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM trigger_gap_lost);
END $$;
