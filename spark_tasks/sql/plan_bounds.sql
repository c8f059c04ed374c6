-- One row: the approximate number of messages (-1 if not known yet), the number of messages that may move, up to
-- a limit, and the bounds of the plan's reads: the first time, and a parent after the first thousand and one before
-- the last thousand (count_bounds.sql), or twice the first if there are not as many. There are no statistics of
-- message_final_age_idx, because it is partial: for times without a lower end, PostgreSQL would expect a third of
-- all messages and read the table; with both ends it expects few.
SELECT (SELECT reltuples::bigint FROM pg_class WHERE oid = table_behind('message')),
       (SELECT count(*)
          FROM (SELECT
                  FROM message
                 WHERE state = ANY (%(final_states)s)
                   AND coalesce(last_process_timestamp, receive_timestamp) >= '-infinity'
                   AND coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s
                   AND msg_id <= %(last_msg_id)s
                 LIMIT %(most)s) AS final),
       (SELECT min(coalesce(last_process_timestamp, receive_timestamp))
          FROM message WHERE state = ANY (%(final_states)s)),
       coalesce((SELECT parent_msg_id FROM message WHERE parent_msg_id IS NOT NULL
                  ORDER BY parent_msg_id LIMIT 1 OFFSET 1000),
                (SELECT min(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL)),
       coalesce((SELECT parent_msg_id FROM message WHERE parent_msg_id IS NOT NULL
                  ORDER BY parent_msg_id DESC LIMIT 1 OFFSET 1000),
                (SELECT min(parent_msg_id) FROM message WHERE parent_msg_id IS NOT NULL))
