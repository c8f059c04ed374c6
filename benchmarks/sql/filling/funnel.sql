-- Every twentieth message has a value; one value is in a tenth of these rows.
INSERT INTO funnel (funnel_id, msg_id, funnel_value)
SELECT n * %(ids)s::bigint + 1, n * %(ids)s::bigint,
       CASE WHEN n %% 200 = 0 THEN 'hot' ELSE 'fv-' || n / 20 %% 5000 END
  FROM generate_series(20, %(messages)s::bigint, 20) AS n
