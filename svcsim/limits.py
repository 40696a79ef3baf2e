"""Every limit the cluster has, by name, in one place.

A queue, a cache or a history without a limit is a bug; a limit that nobody can find is one too. Units stand last in the name.
"""

BODY_BYTES = 3 * 1024 * 1024
"""A request's body; a larger one is answered 413."""
HEADER_BYTES = 1024 * 1024
"""All header lines of a request together."""
OBJECT_LEVELS = 200
"""Levels of maps and lists in a body. A deeper one is refused, however deep it is, and never recursed into; what is let in can be walked
recursively and encoded, with room left for what is wrapped around it."""
JSON_PATCH_OPERATIONS = 10_000
JSON_PATCH_COPIED_BYTES = 3 * 1024 * 1024
"""What the ``copy`` operations of one JSON patch may add up to."""
YAML_NODES = 1_000_000
"""Nodes a YAML document may have once its aliases are followed."""
YAML_ALIASED_NODES = 100_000
"""Nodes of them that may come of aliases: what a few lines of text can make the server build."""
ANNOTATIONS_BYTES = 256 * 1024
CONFIG_DATA_BYTES = 1024 * 1024
"""Values of one Secret or ConfigMap together."""
DNS_LABEL_CHARS = 63
DNS_SUBDOMAIN_CHARS = 253
LABEL_VALUE_CHARS = 63
FIELD_MANAGER_CHARS = 128

READS_IN_FLIGHT = 400
WRITES_IN_FLIGHT = 200
REQUEST_S = 60.0
WATCH_MIN_S = 1800.0
"""A watch without ``timeoutSeconds`` ends after between one and two times this, so that clients spread out."""
NODES = 5000
"""Simulated nodes a cluster can be asked to start with."""
SLOWEST_PACE = 0.1
FASTEST_PACE = 1000.0
"""Cluster seconds per second that a running clock may be asked for."""
HISTORY_S = 300.0
"""How long a past revision stays readable, and a continue token valid, unless ``--history`` says otherwise."""
TOO_LARGE_REVISION_WAIT_S = 3.0
"""How long a read at a revision that isn't there yet waits for it."""
WATCH_BOOKMARK_S = 60.0
WATCH_QUEUE_EVENTS = 10_000
"""Events a watcher may lag behind before it is ended; it resumes by its last revision."""
BINDERS = 16
"""Pods the scheduler gives their nodes at a time."""
BINDINGS_WAITING = 64
"""Decisions of the scheduler that wait to be written; it decides no further before there is room."""
POD_WORKERS = 32
"""Pods whose state the simulated nodes write at a time."""
HEARTBEAT_WORKERS = 4
"""Nodes that report themselves at a time."""
FINISHED_PODS_KEPT = 12_500
"""Pods that succeeded or failed and are kept to be looked at; the oldest go first."""
EVENT_TTL_S = 3600.0
"""How long an Event object is kept."""
CONNECT_S = 30.0
"""How long a client tries to reach a server."""
RELIST_PAGE_OBJECTS = 100
"""Objects a page when a whole collection is read."""
GARBAGE_THRESHOLDS = (20_000, 50, 100)
"""Objects allocated, and younger searches done, until the interpreter looks for garbage in each of its generations."""
THREAD_TURN_S = 0.0005
"""How long one thread of the process goes on while another wants to."""
COMPONENT_REQUEST_WAITS_S = 0.5
COMPONENT_WATCH_WAITS_S = 0.1
"""How long a component of the cluster holds back a request, and how long it lets changes gather, while clients are being served."""
RECONNECT_FIRST_S = 0.2
RECONNECT_LONGEST_S = 30.0
"""How long a watch that broke off waits before it is opened again, at first and at most."""
OUTAGE_S = 60.0
"""How long a command that follows objects waits for a server that has gone away."""
OUTAGE_PAUSE_S = 3.0
"""The longest pause between its attempts."""
REQUEUE_FIRST_S = 0.005
REQUEUE_LONGEST_S = 300.0
"""How long a controller waits before it tries an object again, at first and at most."""
PERIODIC_RETRY_S = 1.0
"""How long a controller waits before it tries work again that it does now and then."""
CONFLICT_TRIES = 5
"""How often a component writes to an object that others keep changing before it leaves that for later."""
EVENTS_WAITING = 1_000
"""Events a component may have reported and not yet written; older ones are dropped."""
EVENTS_AT_ONCE = 32
"""Events a component writes at a time."""
EVENTS_REMEMBERED = 4_096
"""Events a component remembers, to count a repetition up instead of writing it anew."""
CONTROLLER_WORKERS = 8
"""Objects one controller works on at a time."""
EXPECTATIONS_S = 300.0
"""How long a controller waits to see what it has done itself before it looks again regardless."""
STATUS_BATCH_S = 0.1
"""How long changes of pods are gathered before their ReplicaSet's status is reported again."""
ENDPOINTS_BATCH_S = 0.1
"""How long changes of pods are gathered before a service's Endpoints are written again."""
SLICE_ENDPOINTS = 100
"""Endpoints in one EndpointSlice that a controller writes."""
ENDPOINTS_ADDRESSES = 1_000
"""Addresses in one subset of an Endpoints object; further ones are left out."""
DISCOVERY_REFRESH_S = 300.0
"""How often components ask which resource types there are, if nobody says that something has changed."""
GARBAGE_WORKERS = 20
"""Objects the garbage collector works on at a time."""
ABSENT_OWNERS = 1_000
"""Owners the garbage collector remembers to be gone, so that it need not ask for each of their dependents."""
CREATIONS_AT_ONCE = 500
"""Pods a controller creates or deletes for one object in one go."""
EVENT_SWEEP_S = 60.0
"""How long at most until Event objects that have become too old are looked for again."""
UPDATE_MANAGERS = 10
"""Managers by update an object has at most; older ones are folded into one."""
PATCH_RETRIES = 5
"""Internal retries of a patch without a revision that met a concurrent write."""
WRITE_BATCH_RECORDS = 1_000
"""Writes that go into one commit at the most."""
COMPACTION_BATCH_RECORDS = 500
MAPPED_BYTES = 48 * 1024**2
"""Pages of files this process may have mapped in, programs and libraries among them, before it lets go of the store's."""
MAPPED_CHECK_S = 1.0
"""How often that is looked at."""
MAP_BYTES = 64 * 1024**3
"""Size of the store's memory map: address space, not memory and not disk."""
GENERATE_NAME_RETRIES = 8
LOG_TAIL_LINES = 10_000
SCHEMAS = 10_000
"""Compiled types kept at hand; built-in kinds need about a thousand."""
SCHEMA_SELF_NESTING = 100
"""Levels a type that contains itself may be nested, such as a schema within a schema."""
UNKNOWN_FIELDS = 100
"""Unknown fields of one object that are told; further ones are dropped without a word."""
NEGOTIATIONS = 256
"""Different ``Accept`` headers whose meaning is remembered."""
NEGOTIATION_CHARS = 1_000
"""A longer header is understood, but not remembered."""
METRIC_SERIES = 5_000
"""Sorts of requests that are counted apart; what comes on top, from paths that don't exist, is counted as one."""
WHOLE_BODY_BYTES = 4 * 1024**2
"""An answer up to this size is built whole; a longer list goes out in pieces."""
CONVERTED_SLICE_RECORDS = 250
CONVERTED_SLICE_BYTES = 1024**2
"""Records, and their bodies, that are made into rows, other forms or another version before others have a turn (one body always may be)."""
ENCODED_EVENTS = 256
"""Watch events kept in protobuf, for watchers that come to them a little later than the first."""
OPENAPI_SLICE = 20
"""Definitions or paths that are encoded before others have a turn."""
PAGE_CACHE_BYTES = 8 * 1024**2
"""Lists kept for who asks the same while nothing has changed."""
STREAMED_LIST_RECORDS = 2_000
"""From this many records on, a whole list is sent while it is being read."""
PAGE_CACHE_SMALLEST_BYTES = 64 * 1024
PAGE_CACHE_S = 10.0
LIST_PIECE_BYTES = 256 * 1024
GZIP_BYTES = 128 * 1024
"""From this size on an answer is compressed for a client that takes it."""
HEADER_FIELDS = 10_000
PIPELINED_REQUESTS = 32
"""Requests of one connection that are read ahead while one is being answered."""
LINGER_S = 10.0
"""How long a connection whose request was refused unread is kept, so that the client can read the answer."""
WEBSOCKET_MESSAGE_BYTES = 1024**2
"""A message of a WebSocket's client; a larger one ends the connection."""
SHUTDOWN_S = 5.0
"""How long requests under way are given when the server stops."""
RESPONSE_HEADS = 256
"""Beginnings of answers kept ready."""
WRITE_BATCH_BYTES = 16 * 1024**2
"""Bodies that go into one commit at the most (one body always may)."""
STORE_RESERVE_BYTES = 4 * 1024**2
"""Room kept back in a full map and on a full disk, so that deletions and compaction still get through."""
LIST_SLICE_SCANNED = 2_000
"""Entries a list looks at before it lets others have a turn."""
LIST_SLICE_RECORDS = 250
"""Records a list picks up before it lets others have a turn."""
REPLAY_SLICE_RECORDS = 500
"""Writes a watcher that catches up from history reads before it lets others have a turn."""
REPLAY_SLICE_BYTES = 1024**2
COMPACTION_BATCH_BYTES = 4 * 1024**2
"""Bodies a compaction batch may pass over."""
HISTORY_MARKS = 20
"""Moments in the history window at which revision and time are noted down: compaction is this exact."""
KEPT_FAILURES = 100
"""What made components fail is remembered up to this many times."""
SCENARIO_OBJECTS = 250_000
"""Objects a scenario's run can follow; in a cluster that has more it is broken off."""
TIMELINE_MOMENTS = 20_000
"""Moments of a scenario's run that are kept to be told when it fails."""
DASHBOARD_FRAMES_PER_S = 10
"""How often the dashboard draws at the most, however much changes."""
DASHBOARD_ROWS = 100_000
"""Objects one table of the dashboard keeps; further ones are counted."""
DASHBOARD_LINES = 10_000
"""Lines of a log, or of a text, the dashboard keeps."""
DASHBOARD_VIEWS = 50
"""Tables the way back remembers."""
SHARED_WATCH_EVENTS = 512
"""Encoded events kept for watchers that come to them a little later than the first."""
WARNING_HEADER_CHARS = 4_096
"""All warnings of one answer together."""
LISTEN_BACKLOG = 1_024
"""Connections that may wait to be accepted."""
IDLE_CONNECTION_S = 120.0
"""A connection on which no request has come for this long is ended."""
IDLE_SWEEPS = 4
"""So many looks at all connections in that time: idleness is told this exactly."""
SERVER_LOG_BYTES = 10 * 1024**2
"""Size of a server's log file; a full one is put aside and a new one begun."""
SERVER_LOGS_KEPT = 1
"""Full log files that are kept."""
COMPARED_QUANTITIES = 1_024
"""Comparisons of amounts whose answers are remembered."""
TERMINATING_GROWTH_BYTES = 4_096
"""What a write may add to an object on its way out and still get through in a full store."""
ADMISSION_MATCHES = 4_096
"""Kinds of requests (operation, resource type, sub-resource) whose admission plugins are remembered."""
