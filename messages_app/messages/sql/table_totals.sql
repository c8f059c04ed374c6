-- One row per table: its name, the planner's estimate of its rows (0 while it has no page, NULL when never analysed),
-- bytes on disk. Those of a partitioned table are in its partitions.
SELECT name,
       (sum(CASE WHEN pg_relation_size(pg_class.oid) = 0 THEN 0 ELSE nullif(reltuples, -1) END)
           FILTER (WHERE relkind <> 'p'))::bigint,
       sum(pg_total_relation_size(pg_class.oid))::bigint
  FROM unnest(%(tables)s::text[]) AS asked (name)
 CROSS JOIN LATERAL (SELECT table_behind(name)::oid AS oid
                      UNION
                     SELECT relid FROM pg_partition_tree(table_behind(name))) AS part
  JOIN pg_class ON pg_class.oid = part.oid
 GROUP BY name
