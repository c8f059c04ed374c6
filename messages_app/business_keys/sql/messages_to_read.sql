-- Messages whose operation has a definition and that were not read yet, with the size of their payloads: after the
-- highest known id, among the last ones before it, and of transactions that may have committed late. A row with a
-- negative size is the end of the first part, whatever its operation, with the number of its messages.
WITH new AS (SELECT msg_id FROM message WHERE msg_id > %(front)s ORDER BY msg_id LIMIT %(most)s),
     recent AS (SELECT msg_id FROM message
                 WHERE msg_id <= %(front)s AND msg_id > %(safe)s ORDER BY msg_id DESC LIMIT %(recent)s),
     late AS (SELECT msg_id FROM message WHERE msg_id > %(safe)s AND msg_id <= %(late_until)s ORDER BY msg_id),
     both_parts AS (SELECT msg_id FROM recent UNION SELECT msg_id FROM late),
     unread AS (SELECT msg_id FROM new
                UNION ALL
                SELECT msg_id FROM both_parts
                 WHERE NOT EXISTS (SELECT FROM business_key_read WHERE business_key_read.msg_id = both_parts.msg_id))
SELECT known.msg_id, known.size
  FROM unread
 CROSS JOIN LATERAL (SELECT message.msg_id, coalesce(octet_length(payload), 0) AS size, service_name, operation_name
                       FROM message
                      WHERE message.msg_id = unread.msg_id
                     OFFSET 0) AS known
 WHERE EXISTS (SELECT FROM business_key_definition AS definition
                WHERE definition.service_name = known.service_name
                  AND definition.operation_name = known.operation_name
                  AND definition.active
                  AND definition.deleted_at IS NULL)
UNION ALL
SELECT max(msg_id), -count(*) FROM new HAVING count(*) > 0
 ORDER BY 1, 2 DESC
