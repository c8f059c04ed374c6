-- One row: the approximate number of messages (-1 if not known yet), and the bounds of the plan's reads, each
-- of which is the end of an index.
SELECT (SELECT reltuples::bigint FROM pg_class WHERE oid = table_behind('message')),
       (SELECT min(coalesce(last_process_timestamp, receive_timestamp))
          FROM message WHERE state = ANY (%(final_states)s)),
       (SELECT min(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL),
       (SELECT max(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL)
