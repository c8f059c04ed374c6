WITH due AS (
    SELECT next_attempt_timestamp
      FROM message_line
     WHERE status = 2
       AND muted_at IS NULL
       AND next_attempt_timestamp <= statement_timestamp()
     ORDER BY next_attempt_timestamp
     LIMIT %(fence)s
), held AS (
    SELECT status, claimed_at FROM message_line WHERE status IN (1, 3)
), newest AS (
    SELECT attempts
      FROM message_line
     WHERE status = %(processed)s
     ORDER BY message_timestamp DESC, number DESC
     LIMIT %(newest)s
), muted AS (
    SELECT number FROM message_line WHERE muted_at IS NOT NULL LIMIT %(fence)s
), near AS (
    SELECT number
      FROM message_line
     WHERE status = 2
       AND message_timestamp < statement_timestamp() - make_interval(secs => %(near_seconds)s)
     LIMIT %(fence)s
)
SELECT (SELECT message_timestamp FROM message_line WHERE status = 0 AND muted_at IS NULL
         ORDER BY message_timestamp, message_identifier LIMIT 1) AS oldest_waiting,
       (SELECT min(next_attempt_timestamp) FROM due) AS oldest_due,
       (SELECT count(*) FROM due) AS due,
       (SELECT count(*) FROM held WHERE status = 3) AS queued,
       (SELECT min(claimed_at) FROM held WHERE status = 3) AS oldest_queued,
       (SELECT count(*) FROM held WHERE status = 1) AS processing,
       (SELECT min(claimed_at) FROM held WHERE status = 1) AS oldest_processing,
       (SELECT count(*) FROM newest WHERE attempts <= 1) AS first_succeeded,
       (SELECT count(*) FROM newest) AS first_ended,
       (SELECT count(*) FROM near) AS near_timeout,
       (SELECT count(*) FROM muted) AS muted
