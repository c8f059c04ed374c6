-- One row: the statements that grant on another table what roles have on the given one, as one text.
SELECT coalesce(string_agg(line, '; '), '')
  FROM (SELECT format('GRANT %%s ON %%I TO %%s%%s', privilege_type, %(copy)s::text,
                      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
          FROM pg_class CROSS JOIN aclexplode(relacl)
         WHERE oid = to_regclass(%(table)s) AND grantee <> relowner
         UNION ALL
        SELECT format('GRANT %%s (%%I) ON %%I TO %%s%%s', privilege_type, attname, %(copy)s::text,
                      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
          FROM pg_attribute CROSS JOIN aclexplode(attacl)
         WHERE attrelid = to_regclass(%(table)s) AND attnum > 0 AND NOT attisdropped) AS given (line)
