-- The groups of a provider's users without a role, those of most users first.
SELECT held.name
  FROM provider_account AS a, unnest(a.groups) AS held (name)
 WHERE a.issuer = %(issuer)s
   AND NOT EXISTS (SELECT FROM group_mapping AS m WHERE m.issuer = a.issuer AND m.group_name = held.name)
 GROUP BY held.name
 ORDER BY count(*) DESC, held.name
 LIMIT %(most)s
