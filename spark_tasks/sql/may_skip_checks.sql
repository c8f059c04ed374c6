-- One row: whether this session may switch triggers off, and this would disable only the hub's own foreign
-- keys: no other foreign key to the live tables or from their archives, no other trigger on a delete or
-- insert, no rule, and no deferred unique key. Archive tables may be partitioned.
WITH live AS (
  SELECT to_regclass(name) AS oid FROM unnest(%(live)s::text[]) AS name
), archive AS (
  SELECT to_regclass(name) AS oid FROM unnest(%(archives)s::text[]) AS name
   UNION
  SELECT relid FROM unnest(%(archives)s::text[]) AS name CROSS JOIN pg_partition_tree(to_regclass(name))
)
SELECT has_parameter_privilege('session_replication_role', 'SET')
   AND NOT EXISTS (SELECT
                     FROM pg_class
                    WHERE (oid IN (TABLE live) AND relkind <> 'r'
                        OR oid IN (TABLE archive) AND relkind NOT IN ('r', 'p')))
   AND NOT EXISTS (SELECT
                     FROM pg_rewrite
                    WHERE ev_class IN (TABLE live UNION TABLE archive)
                      AND ev_enabled <> 'D')
   AND NOT EXISTS (SELECT
                     FROM pg_trigger
                    WHERE NOT tgisinternal
                      AND tgenabled NOT IN ('D', 'A')
                      AND (tgrelid IN (TABLE live) AND tgtype & 8 <> 0
                        OR tgrelid IN (TABLE archive) AND tgtype & 4 <> 0))
   AND NOT EXISTS (SELECT
                     FROM pg_constraint
                    WHERE conrelid IN (TABLE archive)
                      AND (contype = 'f' OR condeferrable))
   AND NOT EXISTS (SELECT
                     FROM pg_constraint
                    WHERE contype = 'f'
                      AND confrelid IN (TABLE live)
                      AND NOT EXISTS (SELECT
                                        FROM unnest(%(children)s::text[], %(links)s::text[], %(parents)s::text[])
                                             AS known (child, link, parent)
                                       WHERE conrelid = to_regclass(child)
                                         AND confrelid = to_regclass(parent)
                                         AND conkey = ARRAY[(SELECT attnum
                                                               FROM pg_attribute
                                                              WHERE attrelid = conrelid
                                                                AND attname = link)]))
