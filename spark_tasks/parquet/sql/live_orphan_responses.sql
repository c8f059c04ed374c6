-- One row per response of the given ids that is live.
SELECT res_id FROM response WHERE res_id = ANY (%(ids)s)
