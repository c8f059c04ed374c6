-- Messages that a service held when it died.
WITH held AS (
  INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created, lock_service, checkguid)
  SELECT upper(md5(%(seed)s || ' held ' || number)), 'FULLTEXTDOC', osid, ostype,
         %(at)s - interval '3 hours' - interval '1 minute' * number, %(dead)s,
         upper(md5(%(seed)s || ' check ' || number))
    FROM unnest(%(osids)s, %(ostypes)s) WITH ORDINALITY AS object (osid, ostype, number)
   WHERE number <= 5
  RETURNING messageguid, checkguid, created
)
INSERT INTO cp_reservation (messageguid, checkguid, service, reserved_at, is_fenced, collapsed)
SELECT messageguid, checkguid, %(dead)s, %(at)s - interval '3 hours' + interval '20 seconds' * number, false,
       number %% 2
  FROM (SELECT held.*, row_number() OVER (ORDER BY created DESC) AS number FROM held) AS numbered
