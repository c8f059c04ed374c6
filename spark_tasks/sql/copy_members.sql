-- Takes messages with their groups, and when they failed.
COPY failure_member (msg_id, group_id, at) FROM STDIN
