-- Takes notices that are due, so that no other sender takes them too. Each is due again after a pause, which doubles
-- with every attempt, unless it is recorded as sent before that.
-- The limit holds for any plan: as an array, the inner query runs once.
UPDATE alert_notice
   SET attempts = attempts + 1,
       next_at = clock_timestamp() + make_interval(secs => %(pause)s * power(2, least(attempts, 10)))
 WHERE notice_id = ANY (ARRAY(SELECT notice_id
                                FROM alert_notice
                               WHERE next_at <= clock_timestamp()
                               ORDER BY next_at
                               LIMIT %(most)s
                                 FOR UPDATE SKIP LOCKED))
RETURNING notice_id
