-- One row while the job runs under this attempt: the seconds to wait before the booked slice may begin (0
-- without a rate), and the rate. Slices of all executors are booked one after the other, by the database's
-- clock.
UPDATE job
   SET paced_until = CASE WHEN rate IS NULL THEN NULL
                          ELSE greatest(coalesce(paced_until, clock_timestamp()), clock_timestamp())
                               + make_interval(secs => %(messages)s / rate) END
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(state)s
RETURNING rate,
          CASE WHEN rate IS NULL THEN 0
               ELSE greatest(extract(epoch FROM paced_until - clock_timestamp())
                             - %(messages)s / rate, 0) END::float8
