-- Notes messages as read.
INSERT INTO business_key_read (msg_id)
SELECT unnest(%(msg_ids)s::bigint[])
    ON CONFLICT DO NOTHING
