-- One row per new digest of an erased value.
INSERT INTO business_key_erased (digest)
SELECT DISTINCT digest FROM unnest(%(digests)s::text[]) AS digest
    ON CONFLICT (digest) DO NOTHING
RETURNING digest
