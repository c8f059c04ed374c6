-- Of ten messages seven are processed, one is new, one waits for a time to come, one failed.
INSERT INTO message_line (message_identifier, has_store, has_process, message_timestamp, source_system,
                          source_entity, status, next_attempt_timestamp, attempts)
SELECT md5(n::text)::uuid::text, true, true, now() - (%(messages)s - n) * interval '1 second',
       'system-' || n %% 4, 'entity-' || n %% 20,
       (ARRAY[10, 10, 0, 10, 10, 2, 10, 10, 25, 10])[1 + n %% 10],
       CASE WHEN n %% 10 = 5 THEN now() + (n %% 100000 - 50) * interval '1 second' END, 1
  FROM generate_series(1, %(messages)s) AS n;
INSERT INTO message_process (message_identifier, status, processed_timestamp, next_attempt_timestamp)
SELECT message_identifier, status, message_timestamp, next_attempt_timestamp
  FROM message_line
