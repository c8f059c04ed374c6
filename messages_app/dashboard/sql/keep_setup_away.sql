-- Records whether a user has dismissed the setup checklist.
INSERT INTO first_page_visit (user_id, here_at, setup_away_at)
VALUES (%(user_id)s, clock_timestamp(), CASE WHEN %(is_away)s THEN clock_timestamp() END)
ON CONFLICT (user_id) DO UPDATE SET setup_away_at = EXCLUDED.setup_away_at
