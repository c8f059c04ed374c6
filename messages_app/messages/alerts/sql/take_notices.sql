-- The notices that are due, which nobody else then sends: they are due again after a pause that doubles, unless
-- they are noted as sent before.
UPDATE alert_notice
   SET attempts = attempts + 1,
       next_at = clock_timestamp() + make_interval(secs => %(pause)s * power(2, least(attempts, 10)))
 WHERE notice_id IN (SELECT notice_id
                       FROM alert_notice
                      WHERE next_at <= clock_timestamp()
                      ORDER BY next_at
                      LIMIT %(most)s
                        FOR UPDATE SKIP LOCKED)
RETURNING notice_id
