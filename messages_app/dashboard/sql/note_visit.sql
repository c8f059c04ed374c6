-- Notes that a person is here, once a minute at most. Who was away for long begins a new stay, and the end of the one
-- before is kept.
INSERT INTO first_page_visit (user_id, here_at)
VALUES (%(user_id)s, clock_timestamp())
ON CONFLICT (user_id) DO UPDATE
   SET before_at = CASE WHEN first_page_visit.here_at < clock_timestamp() - %(away)s::interval
                        THEN first_page_visit.here_at ELSE first_page_visit.before_at END,
       here_at = clock_timestamp()
 WHERE first_page_visit.here_at < clock_timestamp() - interval '1 minute'
