"""
What is wrong now, since when, and what to do: of all rooms, by counts that they keep.

tiles                         the dashboard's tiles, each read on its own and failing alone
message_tiles, store_tiles    what they hold; look: what several of them read once
windows                       the times that they look back over
drawing                       the flow over time as a picture
guiding, visits               the strip for new readers, and who was here when
handover, handover_views      what happened since a time
views, api                    the pages, and the same over REST
metrics                       the same for Prometheus
"""
