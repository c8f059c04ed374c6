-- Records the progress of regrouping the messages of a group of an earlier rule.
UPDATE failure_group SET regroup_below = %(below)s WHERE group_id = %(group_id)s AND regroup_below = %(before)s
