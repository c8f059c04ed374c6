-- Orders of about 2 kB, half of them failed, all within a day. Failed ones are in Swiss francs, and few others.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, object_id, payload, envelope, failed_desc,
                     failed_error_code, failed_count)
SELECT n * 10, 'corr-' || n, at, at, at, 'service-' || n / 2 %% 3, 'SYS' || n %% 7,
       CASE WHEN fails THEN 'FAILED' ELSE 'OK' END, 'order', 'O-' || n,
       format('<?xml version="1.0" encoding="UTF-8"?><Order xmlns="urn:example:order" xmlns:b="urn:example:basic">'
              '<b:ID>%%s</b:ID><b:IssueDate>2026-11-28</b:IssueDate><b:IssueTime>%%s</b:IssueTime>'
              '<b:Currency>%%s</b:Currency>'
              '<b:Note>%%s</b:Note><b:Buyer><b:EndpointID schemeID="0088">%%s</b:EndpointID><b:Name>%%s</b:Name>'
              '<b:Street>%%s</b:Street><b:City>%%s</b:City><b:Country>%%s</b:Country></b:Buyer>'
              '<b:Seller><b:EndpointID schemeID="0088">4000002000002</b:EndpointID><b:Name>Harbour Paper</b:Name>'
              '<b:Country>AT</b:Country></b:Seller><b:Terms><b:Code>%%s</b:Code><b:Days>%%s</b:Days></b:Terms>'
              '%%s<b:Total currencyID="%%s">%%s</b:Total></Order>',
              n, at::time(0), currency, md5(n::text), 4000001000000 + n %% 997, 'Customer ' || n %% 997,
              'Main street ' || n %% 210, (ARRAY['Bern', 'Graz', 'Linz', 'Wien'])[1 + n %% 4],
              (ARRAY['AT', 'CH', 'DE', 'IT'])[1 + n %% 4], 'T' || n %% 5, 10 * (n %% 4),
              (SELECT string_agg(
                 format('<b:Line><b:Quantity unitCode="NAR">%%s</b:Quantity><b:Item><b:Name>Article %%s</b:Name>'
                        '<b:Sku>%%s</b:Sku></b:Item><b:Price currencyID="%%s">%%s</b:Price></b:Line>',
                        1 + n * line %% 12, (n + 13 * line) %% 1000, (n + 13 * line) %% 1000, currency,
                        n * line %% 83 || '.50'), '') FROM generate_series(1, 6) AS line),
              currency, n %% 5000 || '.00'),
       '<Envelope><Header><Sender>SYS' || n %% 7 || '</Sender><TraceId>' || md5((n + 1)::text)
       || '</TraceId></Header></Envelope>',
       CASE WHEN fails THEN 'E103: refused' END, CASE WHEN fails THEN 'E103' END, fails::int
  FROM (SELECT n, now() - interval '1 day' * (n / %(messages)s::float) AS at, n %% 2 = 0 AS fails,
               CASE WHEN n %% 2 = 0 OR n %% 33 = 0 THEN 'CHF' ELSE (ARRAY['EUR', 'USD'])[1 + n / 2 %% 2] END AS currency
          FROM generate_series(1, %(messages)s::bigint) AS n) AS dated
