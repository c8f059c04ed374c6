-- Over ten queues, the last of them with nine of ten messages; one of a thousand is reserved.
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created, lock_service, checkguid)
SELECT guid, 'queue-' || CASE WHEN n %% 10 < 1 THEN n / 10 %% 9 ELSE 9 END, n %% 2000000000, 65536,
       now() - n * interval '1 millisecond', lock_service,
       CASE WHEN lock_service IS NOT NULL THEN guid END
  FROM generate_series(1, %(messages)s) AS n,
       LATERAL (SELECT upper(md5(n::text)) AS guid,
                       CASE WHEN n %% 1000 = 0 THEN 'worker-' || n / 1000 %% 50 END AS lock_service) AS of_message
