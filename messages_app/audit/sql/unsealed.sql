-- One row: the number of entries between two ids, including late ones, up to a limit, and the age of the oldest in
-- seconds.
SELECT count(*), coalesce(greatest(extract(epoch FROM clock_timestamp() - min(at)), 0), 0)::float8
  FROM (SELECT at FROM audit_entry WHERE entry_id = ANY (%(late)s::bigint[])
         UNION ALL
        (SELECT at
           FROM audit_entry
          WHERE entry_id > %(after)s
            AND entry_id <= %(up_to)s
          ORDER BY entry_id
          LIMIT %(most)s)) AS entry
