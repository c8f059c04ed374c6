-- Records that a user no longer needs the guide.
INSERT INTO first_page_visit (user_id, here_at, guided_at)
VALUES (%(user_id)s, clock_timestamp(), clock_timestamp())
ON CONFLICT (user_id) DO UPDATE SET guided_at = clock_timestamp()
