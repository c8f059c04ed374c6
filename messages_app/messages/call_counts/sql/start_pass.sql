-- Begins with the newest calls, up to the fence. Earlier ones are not counted, unless they change from now on.
INSERT INTO call_pass (id, front, safe, mark, event_front, event_safe, event_mark, mark_xid, kept_from)
SELECT 1, first, first, first, event, event, event, pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
       clock_timestamp()
  FROM (SELECT coalesce((SELECT call_id FROM external_call ORDER BY call_id DESC OFFSET %(fence)s LIMIT 1),
                        %(lowest)s) AS first,
               (SELECT coalesce(max(event_id), 0) FROM message_event) AS event) AS hub
