-- One row: the approximate number of rows of a table, or of the table behind a view, -1 if it was never analysed. Those
-- of a partitioned table are in its partitions. OFFSET 0 looks up each of them by its id. With OR or a plain join, all
-- of pg_class would be read, and with OR table_behind called for each row: 20 ms.
WITH behind AS MATERIALIZED (SELECT table_behind(%(table)s)::oid AS oid),
     part AS (SELECT oid FROM behind UNION SELECT relid FROM behind CROSS JOIN pg_partition_tree(oid))
SELECT coalesce(sum(counted.reltuples) FILTER (WHERE counted.reltuples >= 0 AND counted.relkind <> 'p'), -1)
  FROM part
 CROSS JOIN LATERAL (SELECT reltuples, relkind FROM pg_class WHERE pg_class.oid = part.oid OFFSET 0) AS counted
