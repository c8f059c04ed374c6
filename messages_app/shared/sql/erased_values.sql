-- The digests that are those of erased values.
SELECT digest FROM business_key_erased WHERE digest = ANY (%(digests)s)
