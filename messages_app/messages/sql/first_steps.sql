-- One row: whether there is a message, live or archived; the progress of a session that loads the demo, which is in its
-- name, or NULL; and whether many changes wait to be counted.
SELECT coalesce((SELECT msg_id FROM message ORDER BY msg_id LIMIT 1),
                (SELECT msg_id FROM archive_message ORDER BY msg_id LIMIT 1),
                (SELECT msg_id FROM cold_message ORDER BY msg_id LIMIT 1)) IS NOT NULL,
       (SELECT application_name
          FROM pg_stat_activity
         WHERE datname = current_database() AND starts_with(application_name, %(loading)s)
         LIMIT 1),
       EXISTS (SELECT FROM message_change OFFSET %(most)s)
