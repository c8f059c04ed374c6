INSERT INTO request_window AS w (caller, began_at, used)
VALUES (%(caller)s, clock_timestamp(), 1)
ON CONFLICT (caller) DO UPDATE
   SET used = CASE WHEN w.began_at > clock_timestamp() - interval '1 minute' THEN w.used + 1 ELSE 1 END,
       began_at = CASE WHEN w.began_at > clock_timestamp() - interval '1 minute' THEN w.began_at
                       ELSE clock_timestamp() END
RETURNING used, ceil(extract(epoch FROM began_at + interval '1 minute' - clock_timestamp()))::int
