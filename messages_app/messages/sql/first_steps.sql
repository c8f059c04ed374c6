-- One row: whether there is a message, live or archived; the progress of a session that loads the demo, which is in its
-- name, or NULL; and whether many changes wait to be counted.
SELECT EXISTS (SELECT FROM message) OR EXISTS (SELECT FROM archive_message) OR EXISTS (SELECT FROM cold_message),
       (SELECT application_name
          FROM pg_stat_activity
         WHERE datname = current_database() AND starts_with(application_name, %(loading)s)
         LIMIT 1),
       EXISTS (SELECT FROM message_change OFFSET %(most)s)
