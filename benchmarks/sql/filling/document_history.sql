-- Two entries a document, over four triggers, the last of them with nine of ten documents.
INSERT INTO document_history (trigger_id, document_uuid, status, time)
SELECT 'trigger-' || CASE WHEN n %% 10 < 1 THEN n / 10 %% 3 ELSE 3 END,
       md5(n::text)::uuid::text,
       status,
       now() - n * interval '40 hours' / %(documents)s
  FROM generate_series(1, %(documents)s) AS n,
       (VALUES ('processing'), ('completed')) AS kind (status)
