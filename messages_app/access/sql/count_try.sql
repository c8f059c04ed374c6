-- One row, unless attempts are blocked now. After the free attempts, each attempt has to wait twice as long
-- as the one before.
INSERT INTO login_failure AS f (subject, failures, last_at)
VALUES (%(subject)s, 1, clock_timestamp())
ON CONFLICT (subject) DO UPDATE
   SET failures = CASE WHEN f.last_at > clock_timestamp() - interval '15 minutes' THEN f.failures + 1 ELSE 1 END,
       last_at = clock_timestamp(),
       blocked_until =
         CASE WHEN f.last_at > clock_timestamp() - interval '15 minutes' AND f.failures + 1 >= %(free)s
              THEN clock_timestamp()
                   + least(power(2, least(f.failures + 1 - %(free)s, 20)), %(longest)s) * interval '1 second'
         END
 WHERE f.blocked_until IS NULL
    OR f.blocked_until <= clock_timestamp()
