-- One row where more than this try are counted: it did not fail.
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
