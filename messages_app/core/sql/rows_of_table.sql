-- One row: the approximate number of rows of a table, or of the table behind a view, -1 if it was never analysed. Those
-- of a partitioned table are in its partitions.
SELECT coalesce(sum(reltuples) FILTER (WHERE reltuples >= 0 AND relkind <> 'p'), -1)
  FROM pg_class
 WHERE oid = table_behind(%(table)s)
    OR oid IN (SELECT relid FROM pg_partition_tree(table_behind(%(table)s)))
