DELETE FROM group_mapping WHERE mapping_id = %(mapping_id)s
