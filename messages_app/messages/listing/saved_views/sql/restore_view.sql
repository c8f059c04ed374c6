-- Stores a deleted view again with its id, unless its owner is gone or has as many views as one may have, or another view
-- has its name.
INSERT INTO saved_view (view_id, owner_id, name, query, shared, created_at)
SELECT %(view_id)s, id, %(name)s, %(query)s, %(shared)s, %(created_at)s
  FROM auth_user
 WHERE id = %(owner_id)s
   AND (SELECT count(*) FROM saved_view WHERE owner_id = %(owner_id)s) < %(most)s
ON CONFLICT DO NOTHING
