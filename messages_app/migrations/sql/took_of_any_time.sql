-- As in count_functions; the time between infinite times, which PostgreSQL before 17 refuses, counts as none.
CREATE OR REPLACE FUNCTION took_step(received timestamptz, ended timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(4 * ln(least(greatest(extract(epoch FROM CASE WHEN isfinite(received) AND isfinite(ended)
                                                             THEN ended - received END)::float8, 0.01), 1e9))
               / ln(2::float8))::smallint
$$;
