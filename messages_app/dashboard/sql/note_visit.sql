-- Records the presence of a user, at most once a minute. After a long absence, a new visit begins, and the
-- end of the previous one is kept.
INSERT INTO first_page_visit (user_id, here_at)
VALUES (%(user_id)s, clock_timestamp())
ON CONFLICT (user_id) DO UPDATE
   SET before_at = CASE WHEN first_page_visit.here_at < clock_timestamp() - %(away)s::interval
                        THEN first_page_visit.here_at ELSE first_page_visit.before_at END,
       here_at = clock_timestamp()
 WHERE first_page_visit.here_at < clock_timestamp() - interval '1 minute'
