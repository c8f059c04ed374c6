-- One row per family, the oldest first: as many as are asked for are older than two months, a fifth as many
-- more are younger; ids follow `after`. With more generations, each message is the child of the one before it, and each family a
-- chain of that length. The documents are of mixed sizes and compress to a third, as XML does.
INSERT INTO message (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name,
                     source_system, state, start_process_timestamp, object_id, entity_type, operation_name,
                     payload, envelope, failed_count, failed_error_code, failed_desc, last_process_timestamp,
                     parent_msg_id)
WITH document AS MATERIALIZED (
  SELECT number, string_agg(
           '<item nr="' || line || '"><sku>' || left(md5(number || '-' || line), 10) || '</sku><name>'
           || (ARRAY['Smart meter','Wall box 11 kW','Heat pump service','Boiler check','Router GX2','Solar kit'])
              [1 + (line * 7 + number) %% 6]
           || '</name><qty>' || line * number %% 90 || '</qty><price currency="EUR">'
           || (line * 7919 + number * 104729) %% 100000 / 100.0 || '</price></item>', E'\n    ') AS lines
    FROM generate_series(0, 2999) AS number, generate_series(1, 4 + number %% 30) AS line
   GROUP BY number
)
SELECT %(after)s + n * %(ids)s::bigint, md5('c' || n), md5('p' || n / 2), at - interval '2 s', at, service,
       (ARRAY['CRM','ERP','WEB','POS'])[1 + n %% 4],
       CASE n %% 50 WHEN 7 THEN 'FAILED' WHEN 9 THEN 'CANCEL' ELSE 'OK' END, at + interval '1 s',
       'obj-' || n %% 50000, (ARRAY['ACCOUNT','ORDER',NULL])[1 + n %% 3], service || 'Op' || n %% 7, body,
       '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Header><correlationId>' || md5('c' || n)
       || '</correlationId></Header><Body>' || body || '</Body></Envelope>',
       CASE n %% 50 WHEN 7 THEN 4 ELSE 0 END, CASE n %% 50 WHEN 7 THEN 'E10' || n %% 9 END,
       CASE n %% 50 WHEN 7 THEN 'the target refused order ' || n END, at + interval '3 s',
       CASE WHEN (n - 1) %% %(generations)s > 0 THEN %(after)s + (n - 1) * %(ids)s::bigint END
  FROM (SELECT n, at, (ARRAY['billing','orders','crm','stock','payment'])[1 + n %% 5] AS service,
               '<order xmlns="urn:bench"><id>' || n || '</id><customer>' || md5('u' || n) || '</customer>'
               || E'\n    ' || lines || '</order>' AS body
          FROM (SELECT n, now() - interval '2 months'
                       + (n - %(families)s) * interval '2 months' / greatest(1, %(families)s / 5) AS at
                  FROM generate_series(1, %(families)s * 6 / 5) AS n) AS placed
          JOIN document ON number = n * 2654435761 %% 3000) AS written
