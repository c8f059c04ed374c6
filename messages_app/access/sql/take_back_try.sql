-- One row if more than this attempt was counted. This attempt did not fail, so it is subtracted.
WITH forgotten AS (
  DELETE FROM login_failure
   WHERE subject = %(subject)s
     AND failures <= 1
)
UPDATE login_failure
   SET failures = failures - 1,
       blocked_until = CASE WHEN failures - 1 >= %(free)s THEN blocked_until END
 WHERE subject = %(subject)s
   AND failures > 1
