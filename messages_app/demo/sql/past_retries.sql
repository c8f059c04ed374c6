-- Renditions that wait after a retry, and one whose attempts are used up.
WITH deferred AS (
  INSERT INTO cp_deferred (messageguid, queuename, osid, ostype, created, not_before)
  SELECT upper(md5(%(seed)s || ' retried ' || number)), 'RENDITION', osid, ostype,
         %(at)s - interval '1 hour' * (number - 200),
         %(at)s + (ARRAY[interval '20 min', interval '45 min'])[(number - 200)::int]
    FROM unnest(%(osids)s, %(ostypes)s) WITH ORDINALITY AS object (osid, ostype, number)
   WHERE number BETWEEN 201 AND 203
  RETURNING messageguid, created
)
INSERT INTO cp_retry (messageguid, attempts)
SELECT messageguid, (ARRAY[2, 6, 10])[(row_number() OVER (ORDER BY created DESC))::int] FROM deferred
