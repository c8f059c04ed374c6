-- One row: about how many messages there are (-1 when not known yet), and where the plan's reads begin and
-- end: each of these is the end of an index.
SELECT (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('message')),
       (SELECT min(coalesce(last_process_timestamp, receive_timestamp))
          FROM message WHERE state = ANY (%(final_states)s)),
       (SELECT min(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL),
       (SELECT max(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL)
