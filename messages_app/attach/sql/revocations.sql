-- One statement for each table, its columns, and each of these schemas that a role was granted something on, without its
-- rights as the owner or by another role.
WITH mine AS (SELECT oid, rolname FROM pg_roles WHERE rolname = %(role)s),
granted AS (
    SELECT 1 AS place, nspname, '' AS relname, a.privilege_type AS words
      FROM pg_namespace
      JOIN mine ON nspowner <> mine.oid
      CROSS JOIN LATERAL aclexplode(nspacl) AS a
     WHERE a.grantee = mine.oid
    UNION ALL
    SELECT 0, nspname, relname, a.privilege_type
      FROM pg_class
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
      JOIN mine ON relowner <> mine.oid
      CROSS JOIN LATERAL aclexplode(relacl) AS a
     WHERE a.grantee = mine.oid
    UNION ALL
    SELECT 0, nspname, relname, format('%%s (%%s)', a.privilege_type, string_agg(quote_ident(attname), ', '))
      FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
      JOIN mine ON relowner <> mine.oid
      CROSS JOIN LATERAL aclexplode(attacl) AS a
     WHERE a.grantee = mine.oid
     GROUP BY nspname, relname, a.privilege_type
)
SELECT format('REVOKE %%s ON %%s FROM %%I', string_agg(words, ', ' ORDER BY words),
              CASE relname WHEN '' THEN format('SCHEMA %%I', nspname) ELSE format('%%I.%%I', nspname, relname) END,
              rolname)
  FROM granted, mine
 WHERE nspname = ANY (%(schemas)s)
 GROUP BY place, nspname, relname, rolname
 ORDER BY place, nspname, relname
