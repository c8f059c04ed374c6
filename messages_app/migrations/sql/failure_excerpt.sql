-- The parts of an error text that are read for its cause: the beginning of the outermost and of the innermost error, each
-- with the first lines of its stack trace; of a traceback of Python the end. shorten_error() (messages_app/shared/
-- error_excerpts.py) returns the same, and a test compares them. The texts are found by plain searches, because the
-- hub waits for them when a message fails.
CREATE OR REPLACE FUNCTION lines_before_frames(text text, most integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT left(text, coalesce(least(nullif(strpos(text, E'\n\tat '), 0), nullif(strpos(text, E'\n   at '), 0),
                                   nullif(strpos(text, E'\n    at '), 0)) - 1 + most, 2000))
$$;

CREATE OR REPLACE FUNCTION failure_excerpt(error text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
           WHEN strpos(error, E'\nCaused by: ') > 0 THEN
             left(lines_before_frames(left(error, least(length(error) - length(innermost), 2000)), 0), 500)
             || lines_before_frames(left(innermost, 1000), 400)
           WHEN strpos(left(error, 2000), 'Traceback (most recent call') > 0 THEN
             CASE WHEN length(error) > 2000 THEN E'Traceback (most recent call\n' || right(error, 1000) ELSE error END
           ELSE lines_before_frames(left(error, 2000), 400)
         END
    FROM (SELECT right(error, strpos(reverse(error), reverse(E'\nCaused by: ')) + 11) AS innermost) AS found
$$;
