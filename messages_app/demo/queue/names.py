"""The services of the demo's CP queue, by the names that the vendor's own have, and what they ask for."""

INDEXER, CACHE = "index:8045", "os-rendition-cache"
# It died while it held messages; and one that was stopped days ago, so that its queue grows old.
DEAD, STOPPED = "index:8046", "page-count"
_INDEXED = "FULLTEXTIDX,FULLTEXTDOC,FULLTEXTFILTER,FULLTEXTLOCATION,FULLTEXTDELETE"
QUEUES = {INDEXER: _INDEXED, CACHE: "RENDITION,RENRESET", DEAD: _INDEXED, STOPPED: "PAGECOUNT"}
