DELETE FROM document_content
 WHERE ctid = ANY (ARRAY(SELECT ctid
                           FROM document_content
                          WHERE trigger_id = %(trigger_id)s
                            AND time <= now() - make_interval(secs => %(ttl_seconds)s)
                          ORDER BY trigger_id, time
                          LIMIT %(limit)s))
   AND trigger_id = %(trigger_id)s
   AND time <= now() - make_interval(secs => %(ttl_seconds)s)
