-- Messages that wait since the page counter was stopped three days ago, for some objects twice.
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT upper(md5(%(seed)s || ' page ' || number)), 'PAGECOUNT', (%(osids)s)[place], (%(ostypes)s)[place],
       %(at)s - interval '1 minute' - interval '3 days' * (1 - number / 44.0)
  FROM (SELECT number, 1 + number %% 26 AS place
          FROM generate_series(0, 43) AS number) AS page
