"""
The first page: current problems of all stores, with their age and the next step, from stored counts.

tiles          the dashboard's tiles, each read separately, so that one can fail without the others;
               console_tiles: those of jobs and of the archive
message_tiles  the tiles of messages; snapshot: the data that several tiles share, and the time windows
flow_chart     the chart of the flow over time; guide: the one for new users
handover       what happened since a time; handover_parts,
               handover_lines, handover_watch_lines: all of it in words, for the page (handover_views), the
               text (handover_text) and what is sent (handover_sending)
metrics        the same for Prometheus
models         the visits of users
views, api     the pages, and the same over REST
"""
