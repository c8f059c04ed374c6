-- One row per table or partition: the name of its table, the planner's estimate of its rows (0 while it has no page,
-- NULL when never analysed), bytes on disk, and what is known of the times of receipt: the most common ones with their
-- shares, and bounds between which lie equal shares of the others, both without impossible times such as infinity. The
-- last column is true if more has changed since than makes autovacuum analyse a table. Reads no row of a message.
SELECT name,
       CASE WHEN pg_relation_size(pg_class.oid) = 0 THEN 0 ELSE nullif(reltuples, -1) END::bigint,
       pg_total_relation_size(pg_class.oid),
       ARRAY(SELECT time FROM unnest(most_common_vals::text::timestamptz[]) AS common (time)
              WHERE time BETWEEN '1970-01-01Z' AND '2200-01-01Z'),
       ARRAY(SELECT share
               FROM unnest(most_common_vals::text::timestamptz[], most_common_freqs) AS common (time, share)
              WHERE time BETWEEN '1970-01-01Z' AND '2200-01-01Z'),
       ARRAY(SELECT time FROM unnest(histogram_bounds::text::timestamptz[]) AS bound (time)
              WHERE time BETWEEN '1970-01-01Z' AND '2200-01-01Z' ORDER BY time),
       coalesce(n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0), FALSE)
  FROM unnest(%(tables)s::text[]) AS asked (name)
 CROSS JOIN LATERAL (SELECT table_behind(name)::oid AS oid
                      UNION
                     SELECT tree.relid FROM pg_partition_tree(table_behind(name)) AS tree) AS part
  JOIN pg_class ON pg_class.oid = part.oid AND relkind = 'r'
  JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
  LEFT JOIN pg_stat_all_tables AS activity ON activity.relid = pg_class.oid
  LEFT JOIN pg_stats ON pg_stats.schemaname = nspname AND tablename = pg_class.relname AND attname = 'receive_timestamp'
