"""Every limit the cluster has, by name, in one place, grouped by the room it belongs to.

A queue, a cache or a history without a limit is a bug; a limit that nobody can find is one too. What mirrors the cluster (the caches of
informers, the listers) is as large as the cluster. Units stand last in the name. `tests/test_limits.py` holds that each room has one
group, and that no other file sets one; bounds of a text, a format or a protocol stand where it is read.
"""

# meta/: Bodies and values.

NAMED_FILE_BYTES = 16 * 1024**2
"""The longest file that an option or a configuration may name: keys, certificates, policies."""

OBJECT_LEVELS = 200
"""Levels of maps and lists in a body. A deeper one is refused, however deep it is, and never recursed into; what is let in can be walked
recursively and encoded, with room left for what is wrapped around it."""
OBJECT_VALUES = 100_000
"""Values of any kind in a body, in whatever form it comes: what a few bytes each can make the server build, and walk through."""
ASIDE_BYTES = 32 * 1024
"""Work on more than this is done on another thread, so that nobody else waits for it."""
FOUND_TRUTH_BYTES = 128
"""What it takes to keep whether something is so of a value."""
FOUND_BEFORE_BYTES = 256 * 1024
"""How long the values may be together of which one function keeps what it has found out about them."""
STREAM_FRAME_BYTES = 1024**2
"""A frame of SPDY, and..."""
STREAM_HEADERS_BYTES = 16 * 1024
"""...the headers of one of its streams; what is longer ends the connection."""
STREAM_HEADERS = 100
"""So many of them, as well."""
JSON_PATCH_OPERATIONS = 10_000
JSON_PATCH_COPIED_BYTES = 3 * 1024 * 1024
"""What the ``copy`` operations of one JSON patch may add up to."""
JSON_PATCH_STEPS = 10_000_000
"""Values that all operations of one JSON patch together may look at, or move, to be carried out."""
YAML_ALIASED_NODES = 100_000
"""Values of a YAML document that may come of aliases: what a few lines of text can make the server build."""
TEMPLATE_LEVELS = 100
"""Actions and parentheses, or inclusions of templates, inside one another in a Go template."""
TEMPLATE_NESTING = 200
"""Levels of a value that such a template works on."""
TEMPLATE_WORK = 1_000_000
"""What a Go template that others wait for may do: letters that its functions are given and make. An item counts as 10, a step as 100."""
JQ_QUERY_CHARS = 10_000
JQ_LEVELS = 60
"""Parts of one query, such as parentheses, pipes and operators, that are within one another."""
JQ_DEPTH = 240
"""The same of the functions together that call each other in one query: about as many levels of Python's, twice."""
JQ_STEPS = 100_000
"""What one query may do with one value: values it looks at, and functions it calls."""
JQ_MADE_LETTERS = 4_000_000
"""Letters of texts that one query may make of one value; an item of a list or a map counts as 8."""
JQ_PATTERN_CHARS = 1_000
JQ_PATTERN_BYTES = 1024**2
"""Memory of a regular expression in a query."""
JQ_PATTERNS = 256
"""Regular expressions that have been read and are remembered."""
JQ_TIME_CHARS = 100
"""A moment that a query reads, and the form of one."""
JQ_QUERIES = 1_024
"""Queries that have been read and are remembered."""
SELECTOR_TERMS = 5_000
"""Requirements and values of one selector in a request: reading more takes long, and each watch keeps its own."""
ANNOTATIONS_BYTES = 256 * 1024
"""Annotations of one object together."""
DNS_LABEL_CHARS = 63
DNS_SUBDOMAIN_CHARS = 253
LABEL_VALUE_CHARS = 63
FINDINGS_CHARS = 1_000_000
"""What is told at most of all that is wrong with an object."""
CHECKED_NAMES = 1_024
"""Names of each sort whose form is remembered."""
PARSED_ADDRESSES = 4_096
"""IP addresses, and networks, that are remembered by how they are spelled."""
PARSED_QUANTITIES = 4_096
"""Quantities whose parsed and canonical forms are remembered."""
READ_CURVES = 1_024
"""Texts of simulated values whose meaning is remembered."""
SCHEDULES = 256
"""Schedules of CronJobs, with their time zones, that have been read and are remembered."""
CURVES_CHARS = 4_096
"""Of one text that says how simulated values move with time."""
CURVE_STEPS = 100
MISTAKES_APART = 4
"""Mistakes in the annotations of an object that are told by an event each; more are put together."""
MISTAKES_TOGETHER = 8
"""Events in which they are put together: of ten that are alike, the tenth and all after it would show as one."""
MISTAKES_CHARS = 1_000
"""The longest message in which mistakes are put together."""
DISCOVERED_TYPES = 4_000
"""Entries that are read of one server's list of the resource types of a version; a custom resource has up to three."""

# schema/: Types.

SCHEMA_SELF_NESTING = 100
"""Levels a type that contains itself may be nested, such as a schema within a schema."""
CEL_EVALUATIONS = 10_000
"""Validation rules that writing one object may ask."""
CEL_CALL_COST = 1_000_000
"""What asking one validation rule may cost, in the units of `svcsim.schema.cel.charges`."""
CEL_OBJECT_COST = 10_000_000
"""What all validation rules may cost that writing one object asks, in the same units."""
CEL_STEP_COST = 1_000_000
"""What one call of a function may take, told beforehand from the sizes of values; 1 is about 50 ns. Nothing can be done meanwhile."""
CEL_COPYING_COST = 20_000_000
"""What giving an object to the CEL library at each step of one rule's loops may take, in the same time."""
CEL_CALL_TIME = 20_000_000
"""What all parts of one expression may take together, in the same time: what it costs in units says little of comparing large objects."""
CEL_REQUEST_TIME = 100_000_000
"""What all expressions of one policy may take that one request asks, in the same time."""
CEL_TURN_COST = 200_000
"""What the CEL library is asked in one go where it can be asked in several, in the same time; and what rules may take where others wait."""
CEL_TURN_S = 0.005
"""How long expressions of one request are asked before others have their turn; one that takes longer alone is asked aside."""
CEL_TURNS_OF_OTHERS = 4
"""Turns of the event loop that they have then: a request takes some to be read and answered."""
CEL_TURN_STEPS = 9_000
"""Steps of loops that the CEL library takes in one go; it gives up after some more."""
CEL_GROWING_ITEMS = 128
"""Items that a loop adds to a list in one go: the CEL library copies the list for each."""
CEL_WRITTEN_VALUES = 2_000
"""Values that an expression is asked about by writing them into it, as the CEL library takes them in no other way."""
CEL_PARTS = 4_000
"""Words and marks of one expression outside of its texts; compiling a hundred takes most of a millisecond."""
CEL_LETTERS_BEYOND_ASCII = 1_000
"""Letters beyond ASCII in an expression that the CEL library is given as they are: it takes 6 ms for so many."""
CEL_DEVICE_PROGRAMS = 1_000
"""Expressions about devices that are kept compiled."""
CEL_MESSAGE_CHARS = 2_048
CEL_OVERLOADS = 4_096
"""Calls in expressions whose types are remembered, for each set of functions."""
CEL_REQUEST_PROGRAMS = 2_000
"""Expressions of webhooks and admission policies that are kept compiled."""
CEL_PARSED = 1_000
"""Expressions whose parsed form is remembered: it is wanted for their types, for what they cost, and where they are asked."""
CEL_SEARCHES = 256
"""Regular expressions, taken apart, that are remembered for searches in texts."""
CEL_SEARCH_STEPS = 10_000
"""Parts of a regular expression that texts can be searched with, each as often as it is repeated."""
RULE_ENVIRONMENTS = 50
"""Surroundings in which validation rules are compiled that are kept: one for each type of value."""
UNKNOWN_FIELDS = 100
"""Unknown and duplicate fields of one object that are reported; further ones are left out without a word."""

# storage/: The store.

MAP_BYTES = 64 * 1024**3
"""Size of the store's memory map: address space, not memory and not disk."""
STORE_RESERVE_BYTES = 4 * 1024**2
"""Room kept back in a full map and on a full disk, so that deletions and compaction still get through."""
STORE_SPARE_BYTES = 256 * 1024
"""Of the disk that the store leaves to the files beside it, when it is full: what a start writes, the log, settings."""
STORE_GROWTH_BYTES = 1024**2
"""By how much the data file gets longer at a time, so that the disk's blocks are asked for once in many commits."""
WRITE_BATCH_RECORDS = 1_000
WRITE_BATCH_BYTES = 16 * 1024**2
"""Writes, and their bodies, that go into one commit at the most (one body always may)."""
MAPPED_LOOK_BYTES = 128 * 1024
"""After how much was written it is looked at how many pages are mapped in."""
COMPACTION_BATCH_RECORDS = 500
COMPACTION_BATCH_BYTES = 4 * 1024**2
"""Writes, and their bodies, that one batch of compaction passes over at the most."""
STORE_STALL_S = 5.0
"""A commit that takes longer than this is one that the disk holds up: the server is ready for no writes meanwhile."""
STORE_TROUBLE_LOGGED_S = 5.0
"""Between two lines of the log on whether the store can write, at the least."""
CHECKSUM_PIECE_BYTES = 1024**2
"""Of a data file that are read at a time, to see whether it is as it was."""
HISTORY_MARKS = 10
"""Moments in the history window at which revision and time are noted down: compaction is this exact."""
LIST_SLICE_SCANNED = 2_000
"""Entries a list looks at before it lets others have a turn."""
HOT_RECORDS_BYTES = 24 * 1024**2
"""Of records that were read or written of late and are kept at hand, with what each takes beside its body."""
DECODED_TIMES = 3
"""How many times what it takes as JSON an object is reckoned to take in memory."""
HOT_RECORD_BYTES = 64 * 1024
"""Of one of them; longer ones are read anew each time, which costs little beside what is done with them."""
LIST_SLICE_RECORDS = 250
LIST_SLICE_BYTES = 1024**2
"""Records, and their bodies, that a list picks up before it lets others have a turn (one body always may be)."""
READ_SLICES_A_TURN = 2
"""Slices that all lists and watchers at work on the store read together in one turn of the event loop, however many they are."""
LISTS_BYTES = 256 * 1024**2
"""Bodies that all lists under way hold together, until they are answered; one that needs more is answered 429 (the only one never is)."""
REPLAY_SLICE_RECORDS = 500
REPLAY_SLICE_BYTES = 1024**2
"""Writes, and their bodies, that a watcher catching up from history reads before others have a turn."""
WATCH_QUEUE_EVENTS = 10_000
"""Events a watcher may lag behind before it is ended; it resumes by its last revision."""
WATCH_QUEUE_BYTES = 1024**2
WATCH_QUEUES_BYTES = 64 * 1024**2
"""What is kept for a watcher that lags, and for all of them together (one commit always may be); past that they read history again."""

# apply/: Server-side apply.

UPDATE_MANAGERS_KEPT = 10
"""Managers by update that an object has at most; the oldest are merged into one."""

# registry/: The verbs.

EVENT_TTL_S = 3600.0
"""How long an Event object is kept after it was written last."""
EVENTS_END_EVERY_S = 1.0
"""How long at least until Event objects that have become too old are looked for again: they go together."""
EVENTS_END_TOGETHER = 100
"""So many of them have a turn."""

OBJECT_BYTES = 3 * 1024 * 1024
"""An object as it is stored: as long as a request's body may be, so that what was read can be sent back."""
CONVERSION_S = 30.0
"""How long a converter outside of this process may take for one batch."""
PATCH_RETRIES = 5
"""Internal retries of a patch without a revision that met a concurrent write."""
DELETIONS_AT_ONCE = 32
"""Objects of a collection that are deleted at a time, so that they share commits; and namespaces of a definition that is being deleted."""
GENERATE_NAME_RETRIES = 8
"""Names drawn for ``generateName`` until one is free."""
TERMINATING_GROWTH_BYTES = 4_096
"""What a write may add to an object on its way out and still get through in a full store."""
TOO_LARGE_REVISION_WAIT_S = 3.0
"""How long a read at a revision that isn't there yet waits for it."""
UNREADABLE_NAMED = 100
"""Damaged objects that the refusal of a list names."""
STREAMED_LIST_RECORDS = 2_000
"""From this many records on, a whole list is sent while it is being read."""
CONVERTED_SLICE_RECORDS = 250
CONVERTED_SLICE_BYTES = 1024**2
"""Records, and their bodies, that are made into rows, other forms or another version before others have a turn (one body always may be)."""
GIVEN_SLICES_A_TURN = 2
"""Such slices that all lists and watches together have in one turn of the event loop, however many of them there are."""
ADMISSION_TRACE_BYTES = 16 * 1024**2
"""Of changes that are told of one request's way through admission; of later ones only that there were some."""
WATCH_MIN_S = 1800.0
"""A watch without ``timeoutSeconds`` ends after between one and two times this, so that clients spread out."""
WATCH_BOOKMARK_S = 60.0
WATCH_BOOKMARK_SLACK_S = 30.0
"""On a stepped clock a bookmark may come so much later, to go with others."""
KEPT_FORMS_BYTES = 32 * 1024**2
"""What is kept of stored objects that are shown in another form than they are stored in, so that it isn't made anew for each read."""
SHARED_WATCH_EVENTS = 512
SHARED_WATCH_BYTES = 16 * 1024**2
"""Encoded events, and their size, kept for watchers that come to them a little later than the first."""

# auth/: Who asks, and whether they may.

OIDC_TOKEN_CHARS = 16 * 1024
"""An identity token; a longer one is nobody's."""
OIDC_TOKENS = 512
"""Identity tokens that were good, and are remembered by their digests until they expire."""
OIDC_KEYS = 100
"""Keys of an identity provider that are read."""
OIDC_DOCUMENT_BYTES = 1024 * 1024
"""What an identity provider says of itself, or of its keys."""
OIDC_PROVIDER_WAIT_S = 10.0
"""How long it may take over that."""
OIDC_RENEWAL_S = 2.0
"""How long it isn't asked for its keys again, however many tokens come with keys that nobody knows."""
NODES_WHOSE_NEEDS_ARE_KNOWN = 1_024
"""Nodes for which what their pods refer to is kept; it is read again for one that was dropped."""
PODS_OF_A_NODE_A_TURN = 200
"""Pods whose references are read before others have a turn."""
RBAC_GRANTS = 200_000
RBAC_ROLE_RULES = 200_000
RBAC_ASKED_KEPT = 256
RBAC_ASKED_CHARS = 256
RBAC_GRANT_BYTES = 100
"""Places of tables, of so many bytes each, in which RBAC remembers what users' bindings come to, and what roles say; the least recently
used go first. And for how many groups and resources that somebody asked for it remembers which rules are about
them, unless their names are longer than any real one."""
RIGHTS_COMPARED = 20_000
"""Single rights of a role (a verb on a resource of a group) that are compared with what somebody may do; more have to be covered whole."""
SIGNED_TOKEN_CHARS = 16 * 1024
"""Of a signed token (a JWT); a longer one is no token."""
VERIFIED_TOKENS = 2_000
"""Tokens of service accounts whose signature has been verified, and whose claims are remembered, each about a kilobyte; and objects that
such tokens are bound to, of which is remembered what matters to them."""
WEBHOOK_REVIEW_S = 30.0
"""How long a server that is asked about a token or a request may take, all attempts together."""
WEBHOOK_REVIEW_BYTES = 1024**2
"""What it may answer."""
WEBHOOK_REVIEW_PAUSES_S = (0.5, 0.75, 1.125, 1.6875)
"""The pauses before it is asked again where it has trouble of its own."""
WEBHOOK_REVIEWS_UNDER_WAY = 1_000
"""Questions that wait for such a server; another one is refused."""
WEBHOOK_DECISIONS = 10_000
WEBHOOK_DECISIONS_BYTES = 16 * 1024**2
"""Its answers that are remembered, and what they say together."""
WEBHOOK_DECISION_BYTES = 10_000
"""A question about a request that is longer than this is asked each time: answers to such ones only fill the memory."""
WEBHOOK_TOLD_CHARS = 1_000
"""Of the reasons that it gives, what clients are told."""
WEBHOOK_TROUBLE_LOGGED_S = 5.0
"""Between two lines of the log on what is wrong with it, at the least."""

# admission/: Admission.

CEL_CONDITIONS_COST = 2_500_000
"""What all conditions may cost that say whether one webhook or policy is asked, in the units of `svcsim.schema.cel.charges`."""
ADMISSION_MATCHES = 4_096
"""Kinds of requests (operation, resource type, subresource) whose admission plugins are remembered."""
ANNOTATIONS_A_TURN = 2_000
"""Audit annotations of one webhook's answer that are looked at before others have their turn."""
ANNOTATION_KEY_SHOWN_CHARS = 256
"""How much the log shows of a key of an audit annotation that can't be one."""
ADMISSION_ANSWER_BYTES = 8 * 1024**2
"""What a webhook may answer about a request: a patch may bring a whole object, in base64."""
ADMISSION_SERIES = 2_000
"""Series of one metric of admission, by names of webhooks and policies among others; what comes later is counted together."""
PARAMS_KEPT_BYTES = 4 * 1024**2
"""Of objects that policies choose parameters from, what is kept decoded for the next request, counted as stored."""
PARAM_SELECTORS = 1_000
"""Choices among the objects of one kind in one namespace that are remembered."""
WEBHOOKS_AT_ONCE = 64
"""Validating webhooks that are asked about one request at a time."""
NAMESPACE_PODS_CHECKED = 3_000
"""Pods of a namespace that are looked at when it gets a stricter level of pod security; that there are more is told."""
DEFAULT_ACCOUNT_WAIT_S = 1.5
"""How long a new pod waits for its namespace's default service account, which a controller makes."""
ADDRESS_TRIES = 1_000
"""How often a free address or port is looked for by chance before its range counts as full."""

# kinds/: Rules of kinds.

CEL_ESTIMATED_COST = 10_000_000
"""What a validation rule may cost by its schema, in all the places of an object at which it is asked."""
CEL_ESTIMATED_TOTAL = 100_000_000
"""What all validation rules of one schema may cost together."""
TRUST_BUNDLE_BYTES = 1024**2
"""The certificates of one ClusterTrustBundle."""
CONFIG_DATA_BYTES = 1024 * 1024
"""Values of one Secret or ConfigMap together."""
COMPARED_QUANTITIES = 1_024
"""Comparisons of quantities whose answers are remembered."""

# outbound/: Calls to servers of others.

OUTBOUND_REMOTES = 1_000
"""Servers called, and ways to be sure of them, that are told apart: kept connections, what calls are counted by."""
OUTBOUND_CALLS = 64
"""Calls of one webhook, or of who else is called, that may be under way at a time; another one waits, for as long as it has time."""
OUTBOUND_CONNECTIONS = 2_000
"""Connections to all servers together, those that are kept among them; who wants another one waits, for as long as there is time."""
OUTBOUND_STREAMS = 1_000
"""Answers that go on at a time, whoever gives them, and never more than half of those connections; another one is refused."""
OUTBOUND_KEPT = 64
"""Connections to one server that are kept for the next calls."""
OUTBOUND_IDLE_S = 50.0
"""Seconds after which a kept connection is not used any more."""
CERTIFICATE_NAMES_TOLD = 100
"""Names of a server's certificate that are told where none of them is the one it was called by."""
OUTBOUND_EARLY_ANSWERS = 5
"""Answers of 1xx that are read before the one that counts."""
OUTBOUND_SHORT_BYTES = 4 * 1024
"""Questions up to this are sent to all that are asked at once without a pause."""
OUTBOUND_UNSENT_BYTES = 256 * 1024
"""What waits to be sent on a connection that is passed through, before its client has to wait."""
OUTBOUND_LONG_ANSWER_BYTES = 1024**2
OUTBOUND_LONG_ANSWERS = 4
"""So many answers may be longer than that at once, whoever gives them; others wait for their turn, as long as their deadline lets them."""
OUTBOUND_ANSWER_BYTES = 16 * 1024**2
"""An answer that is read whole."""

# client/: Clients, and the shell of every controller.

SHORTEST_WAIT_S = 0.001
"""Seconds a client still listens whose time is up: none would mean not to wait for anything, not even for what has come."""
LONGEST_WAIT_S = 14 * 24 * 3600.0
"""Seconds a client listens at a time, however long it is ready to: what the system waits for is counted in 31 bits of milliseconds."""
CONNECT_S = 30.0
"""How long a client tries to reach a server."""
HANDSHAKE_S = 10.0
"""How long the two may take to agree on how they speak."""
SILENT_S = 10.0
"""How long a server may be silent before a command says that it waits for it."""
TOKEN_FILE_S = 60.0
"""How long a client shows the token it read from a file before it looks there again."""
PLUGIN_OUTPUT_BYTES = 1024 * 1024
"""Of a credential plugin's answer; one that says more is no good."""
PLUGIN_QUOTED_CHARS = 100
"""Of what an answer says and shouldn't, in the error that tells so."""
PLUGIN_END_S = 0.25
"""How long a credential plugin that was interrupted has to put the terminal in order."""
RELIST_PAGE_OBJECTS = 100
"""Objects a page when a whole collection is read."""
RECONNECT_FIRST_S = 0.2
RECONNECT_LONGEST_S = 30.0
"""How long a watch that broke off waits before it is opened again, at first and at most."""
SILENT_GROUPS_ASKED_AGAIN_S = 300.0
"""How long until components ask again which resource types there are, where a group didn't answer."""
DISCOVERED_A_TURN = 20
"""Versions of groups whose types are read before others have a turn."""
INFORMERS_A_TURN = 20
"""Resource types that are begun to be followed before others have a turn."""
COMPONENT_REQUEST_WAITS_S = 0.5
COMPONENT_WATCH_S = 86_400
"""How long a watch of a component lasts: it loses nothing, and to open one again for each resource costs more than to wait."""
COMPONENT_WATCH_WAITS_S = 0.1
"""How long a component of the cluster holds back a request, and how long it lets changes gather, while clients are being served."""
CONTROLLER_TROUBLES = 1_000
CONTROLLER_TROUBLE_CHARS = 500
"""Of so many objects a controller remembers why it couldn't bring them further, and of each so much."""
CONTROLLER_STALE_TRIES = 8
"""That an object isn't there or has changed is what a cache says which is behind, so many times in a row; then it is told as a failure."""
CONTROLLER_WORKERS = 8
"""Objects one controller works on at a time."""
KEYS_A_TURN = 10
"""Objects that one of its workers looks at before others have a turn."""
REQUEUE_FIRST_S = 0.005
REQUEUE_LONGEST_S = 300.0
"""How long a controller waits before it tries an object again, at first and at most."""
RECONCILE_SHORT_S = 0.005
RECONCILE_RESTS = 9
RECONCILE_RESTS_LONGEST_S = 2.0
"""An object whose reconcile keeps the event loop for no longer is looked at again at once; any other rests that many times as long before,
up to so many seconds: so what becomes of ten thousand pods leaves time for them to become it."""
PERIODIC_RETRY_S = 1.0
"""How long a controller waits before it tries work again that it does now and then."""
CONFLICT_TRIES = 5
"""How often a component writes to an object that others keep changing before it leaves that for later."""
EXPECTATIONS_S = 300.0
"""How long a controller waits to see what it has done itself before it looks again regardless."""
EVENTS_WAITING = 1_000
"""Events a component may have reported and not yet written; older ones are dropped."""
EVENTS_AT_ONCE = 32
"""Events a component writes at a time."""
EVENT_NAME_TRIES = 8
"""Names a component tries for an event, where others report about the same object at the same moment."""
EVENTS_SIMILAR = 10
EVENTS_SIMILAR_S = 600.0
"""Of so many different things said of one object for one reason, each less than that long after the other, the last are combined."""
EVENTS_OF_AN_OBJECT = 25
EVENT_REFILL_S = 300.0
"""Events of the older form that a component writes about one object at once, and how long it is until it may write one more."""
EVENT_SERIES_S = 360.0
"""How long after the last time a series of events is over."""
EVENT_SERIES_REFRESH_S = 1800.0
"""How often it is written how long one has become that goes on."""
EVENT_OBJECTS_REMEMBERED = 4_096
EVENTS_OF_AN_OBJECT_REMEMBERED = 64
"""A component remembers so many events of so many objects, to count a repetition up instead of writing it anew."""

# server/: Requests and answers.

FORWARDED_PORTS = 100
"""Ports that one connection forwards: their channels are numbered in a byte."""
BODY_BYTES = 3 * 1024 * 1024
"""A request's body; a larger one is answered 413."""
PARSED_BYTES = 64 * 1024
"""Of what a client has sent, read at a time: between two such steps it is seen whether the event loop should have its turn."""
PIECES_A_TURN = 4_096
"""Pieces of HTTP bodies (chunks, most of all), and requests, that are read from one connection before the event loop has its turn."""
READ_AHEAD_BYTES = 64 * 1024
"""Of the bodies of one connection, what is read before it is known who sends them; and what a client without credentials may send."""
BODIES_BYTES = 64 * 1024**2
"""Larger bodies of all connections together, until they are answered; one more is answered 429."""
UNTAKEN_BYTES = 128 * 1024**2
"""What is kept of answers for all clients together that don't take theirs; past that, those that have waited longest are hung up on."""
HEADER_BYTES = 1024 * 1024
"""All header lines of a request together."""
HEADER_FIELDS = 10_000
"""Header lines of a request."""
PATH_CHARS = 64 * 1024
QUERY_PARAMETERS = 10_000
"""What a request asks for, which is read before anybody knows who asks."""
FIELD_MANAGER_CHARS = 128
READS_IN_FLIGHT = 400
WRITES_IN_FLIGHT = 200
"""Requests that may be under way at once; one more is answered 429."""
WAITING_IN_FLIGHT = 1_000
"""Requests besides that wait for others, such as webhooks; another one counts as under way while it waits."""
STEP_TOLD_EVERY_S = 0.25
"""Seconds between two reports of a step of the clock that is under way."""
AWAITED_OBJECTS = 1_000
"""Objects that a clock may go on until something holds for."""
AWAITED_TOLD = 10
"""Those of them that are told of where it doesn't."""
AWAITED_S = 24 * 3600.0
"""How much of the cluster's time may pass until then where nobody says."""
FAULT_HOLD_S = 5.0
"""How often whoever holds faults in place is sent something, to see whether anybody is there."""
REQUEST_S = 60.0
"""How long a request may take."""
PIPELINED_REQUESTS = 32
"""Requests of one connection that are read ahead while one is being answered."""
LISTEN_BACKLOG = 1_024
"""Connections that may wait to be accepted."""
IDLE_CONNECTION_S = 120.0
"""A connection on which no request has come, or whose client has confirmed nothing of its answer, for this long is ended."""
IDLE_SWEEPS = 4
"""So many looks at all connections in that time: idleness is measured this exactly."""
LINGER_S = 10.0
"""How long a connection whose request was refused unread is kept, so that the client can read the answer."""
UNHEARD_ANSWER_S = 0.5
"""A request whose client has hung up goes on for so long; whatever it waits for then, such as a webhook, it is given up."""
PEER_CHAINS = 4_096
"""Client certificates whose chains are remembered for sessions that are resumed."""
SHUTDOWN_S = 5.0
"""How long requests under way are given when the server stops."""
WEBSOCKET_MESSAGE_BYTES = 1024**2
"""A message of a WebSocket's client; a larger one ends the connection."""
STREAM_UNREAD_BYTES = 256 * 1024
"""What may have come in on the streams of a connection (exec, port-forward) and not be read: then the client has to wait."""
TUNNEL_SLICE_BYTES = 1024
"""Of what comes in on a connection that was switched to another protocol, so much is passed on before it is asked how long that takes."""
TUNNEL_TURN_S = 0.002
"""How long that may go on, on all such connections together, before others have twice as long."""
STREAM_UNSENT_BYTES = 256 * 1024
"""What may wait for the client of such a connection to be taken: then whoever serves it has to."""
STREAM_PIECE_BYTES = 32 * 1024
"""As much of a stream goes into one frame, and as much of what has come in small pieces is read as one."""
STREAMS_A_CONNECTION = 512
"""Streams that may be open on one connection; another one is refused."""
STREAMS_OPEN_S = 30.0
"""How long a client may take to open the streams that belong together."""
WARNINGS_CHARS = 4_096
"""All warnings of one answer together, before they are quoted. Where they are longer, each is cut off, and those past this are left out."""
LONG_WARNING_CHARS = 256
"""Where one is cut off then."""
GZIP_BYTES = 128 * 1024
"""From this size on an answer is compressed for a client that takes it."""
WHOLE_BODY_BYTES = 4 * 1024**2
"""An answer up to this size is built whole; a longer list goes out in pieces."""
LIST_PIECE_BYTES = 256 * 1024
"""Size of the pieces in which a long list is sent."""
JOINED_BODY_BYTES = 256 * 1024
"""Up to this size a body is copied behind its head, so that both go out in one piece."""
RESPONSE_HEADS = 256
"""Beginnings of answers kept ready."""
REQUEST_LINES = 1_000
"""Different request lines whose meaning is remembered."""
REQUEST_LINE_CHARS = 500
"""Of one of them, its method left out; a longer one is understood, but not remembered."""
KNOWN_HEADS = 4
"""Header lines of different requests that a connection remembers, to know the next with the same."""
KNOWN_HEAD_BYTES = 8 * 1024
"""How long the head of a request is at the most whose header lines are remembered."""
FAMILIAR_DECISIONS = 64
"""What somebody has asked before and may ask again without being judged anew, so many things of one connection."""
NEGOTIATIONS = 256
"""Different ``Accept`` headers whose meaning is remembered."""
NEGOTIATION_CHARS = 1_000
"""A longer header is understood, but not remembered."""
PAGE_CACHE_BYTES = 8 * 1024**2
PAGE_CACHE_SMALLEST_BYTES = 64 * 1024
PAGE_CACHE_S = 10.0
"""Lists kept for clients that ask the same while nothing has changed: how much, from which size on, for how long."""
ENCODED_EVENTS = 256
ENCODED_EVENTS_BYTES = 16 * 1024**2
"""Watch events kept in protobuf, and their size, for watchers that come to them a little later than the first."""
OPENAPI_SLICE = 20
"""Types that are described before others have a turn."""
OPENAPI_PARTS_BYTES = 32 * 1024**2
"""Encoded parts of the API's description that are kept, in each of its forms; what comes on top is described anew every time."""
OPENAPI_DOCUMENTS_BYTES = 64 * 1024**2
"""Whole documents that are kept; others are put together of their parts again."""
METRIC_SERIES = 5_000
"""Sorts of requests that are counted apart; what comes on top, from paths that don't exist, is counted as one."""

RECENT_REQUESTS = 1_000
"""The last requests that are kept to be shown, of clients and of the cluster's own components each."""
RECENT_TEXT_CHARS = 2_000
"""Of all texts of one of them; where they are longer, each is cut off at a quarter of this."""
AUDIT_BUFFER_BYTES = 32 * 1024**2
"""Audit events that wait for one backend; what comes on top is dropped."""
AUDIT_ANSWER_BYTES = 3 * 1024**2
"""An answer that is sent in pieces, as an audit event repeats it; of a longer one it doesn't tell."""
AUDIT_FLUSH_S = 5.0
AUDIT_FLUSH_POLL_S = 0.01
"""How long a server that stops tries to hand over the last events, and how often it looks whether it has."""
AUDIT_OUTPUT_NOTED_BYTES = 4 * 1024**2
"""Between two lines of the log on how much was written beside it."""
AUDIT_WEBHOOK_S = 30.0
AUDIT_WEBHOOK_TRIES = 5
"""How long a server that takes audit events may need for a batch, and how often it is sent one."""

AVAILABILITY_WAIT_S = 5.0
"""How long a server behind this one may take to say that it is there."""

# controllers/: Controllers.

NAMESPACE_RETRY_FIRST_S = 1.0
NAMESPACE_RETRY_LONGEST_S = 60.0
"""How long a namespace waits that can't be emptied, because something can't be deleted, or a server behind this one doesn't answer, at
first and at most."""
NAMESPACE_RECHECK_LONGEST_S = 600.0
"""How long a namespace waits at most before it is looked whether what was given time to end has ended."""
POLICY_TYPE_CHECKED_KINDS = 10
"""Kinds that the expressions of one validating policy are checked with."""
POLICY_TYPE_CHECKED_RESOURCES = 200
"""Resources that a validating policy names, of which it is asked whether there are any."""
MISSED_STARTS = 100
"""Starts a CronJob may have missed since the last one before it is told that something is wrong."""
FINISHED_PODS_KEPT = 12_500
"""Pods that succeeded or failed and are kept; the oldest go first."""
LEGACY_TOKENS_KEPT_S = 31_536_000.0
"""How long tokens in Secrets are kept that nobody uses, a year: first until they are marked as invalid, then until they are deleted."""
LEGACY_TOKENS_LOOKED_AT_S = 86_400.0
"""How often it is looked for such tokens."""
TOKEN_TRACKING_MADE_AGAIN_S = 1800.0
"""How long after it was made the note is made again since when the use of tokens is noted, if it is deleted."""
APPROVAL_RETRY_S = 60.0
"""How long until it is asked again whether somebody may have a node's certificate."""
SIGNING_RETRY_S = 60.0
"""How long until a certificate is signed that the authority couldn't sign."""
DECIDED_REQUEST_S = 3600.0
PENDING_REQUEST_S = 86_400.0
"""How long CertificateSigningRequests are kept that have been decided, and that haven't."""
REPLACED_AFTER_S = 0.01
"""How long a ReplicaSet waits for more pods to go before it looks which are to be replaced."""
STATUS_BATCH_S = 0.1
"""How long changes of pods are gathered before their ReplicaSet's, or Job's, status is reported again."""
JOB_BACKOFF_FIRST_S = 10.0
JOB_BACKOFF_LONGEST_S = 600.0
"""How long a Job waits after a failure before it makes pods again, at first and at most."""
JOB_UNCOUNTED_PODS = 500
"""Pods that have ended and that a Job's status names at a time, until they are counted."""
DISRUPTION_BATCH_S = 0.1
"""How long changes of pods are gathered before those of a disruption budget are counted again."""
ENDPOINTS_BATCH_S = 0.1
"""How long changes of pods are gathered before a service's Endpoints are written again."""
SLICE_ENDPOINTS = 100
"""Endpoints in one EndpointSlice that a controller writes."""
ENDPOINTS_ADDRESSES = 1_000
"""Addresses in an Endpoints object that is made for a service, and of one subset that somebody wrote by hand those that are mirrored."""
CREATIONS_AT_ONCE = 500
"""Pods a controller creates or deletes for one object in one go."""
POD_WRITES_AT_ONCE = 4
"""Of those, how many at a time: few enough that the scheduler and the nodes keep up with what is made, and clients are let in between."""
DAEMON_PODS_AT_ONCE = 250
"""The same of a DaemonSet: as many as it creates, and as many as it deletes."""
FAILED_DAEMON_FIRST_S = 1.0
FAILED_DAEMON_LONGEST_S = 900.0
"""How long a DaemonSet's pod that failed is left alone after one on the same node was replaced, at first and at most."""
RECLAIMING_S = 1.0
"""How long it takes to make a volume as new, or to let go of one on a node's own disk."""
UNMOUNTING_S = 360.0
"""How long a volume stays attached to a silent node that nobody uses it on any more: it may be writing to it still."""
REVISION_HISTORY_CHARS = 2_000
"""All earlier revisions in a ReplicaSet's annotation together."""
GARBAGE_WORKERS = 20
"""Objects the garbage collector works on at a time."""
OWNERS_A_TURN = 8
"""Owners of one object the garbage collector asks about before others have a turn."""
ABSENT_OWNERS = 1_000
"""Owners the garbage collector remembers to be gone, so that it need not ask for each of their dependents."""

UNAVAILABLE_ASKED_AGAIN_S = 5.0
AVAILABLE_ASKED_AGAIN_S = 30.0
"""How long until an API server behind this one is asked again that didn't answer, and one that did."""

# scheduler/: The scheduler.

DECISIONS_A_TURN = 16
DECIDING_STEPS_A_TURN = 2_500
"""Pods the scheduler decides on, and single looks at something for it, before others have a turn."""
BINDERS = 16
"""Pods the scheduler binds to their nodes at a time."""
SCHEDULER_REPORTERS = 4
"""Pods of which is written at a time why they can't be placed."""
BINDINGS_WAITING = 64
"""Decisions of the scheduler that wait to be written; it decides no further before there is room."""
SCHEDULER_TEMPLATES = 16
"""Templates of pods for which the scheduler remembers what it found out about each node."""
SCHEDULER_TALLIES = 64
"""Counts of pods by zone, or the like, that the scheduler keeps up to date."""
SCHEDULER_KNOWN_LOOKS = 64
"""Sorts of pods, by what they need and whom they are counted with, for which the scheduler remembers how each node looks."""
SCHEDULER_LOOKS = 20_000
"""Different looks that it remembers for one of them, before it looks at all nodes anew."""
STEPS_A_NODE = 8
"""How much it is to ask all about one node."""
DEVICE_SEARCH_STEPS = 3_000
"""Devices that are tried out for the claims of a pod on one node; what isn't found by then isn't looked for any further."""
DEVICE_SELECTIONS = 64
"""Wishes for devices of which it is remembered which devices fit them."""
DEVICE_ANSWERS = 64
"""Expressions of which a device remembers whether they mean it."""
STEPS_A_DEVICE_QUESTION = 50
"""How much it is to ask one expression of one device."""
CHANGES_MEANWHILE = 1_000
"""Changes that are remembered while one decision is made; if there are more, the pod is tried again, whatever they were."""
PREEMPTION_CANDIDATES = 100
"""Nodes that are looked at, or a tenth of all if that is more, for one on which to make room."""
EVENT_NOTE_CHARS = 1_024
"""The longest message that an Event in the newer form may have."""
VOLUMES_BOUND_S = 600.0
"""How long a pod that has been placed waits for its volumes before another place is looked for."""
SHARED_POD_PARTS = 4_096
"""Parts of pods (selectors, requests, …) that equal pods share in memory."""
PARSED_AMOUNTS = 1_024
"""Amounts of resources remembered in the unit they are counted in."""

# nodes/: Simulated nodes.

SANDBOX_RETRY_S = 10.0
"""How long a pod waits for which its node has no address left before it asks again."""
POD_STATUS_BACK_S = 10.0
"""How long it takes until a node puts back what somebody else has written over a pod's status."""
POD_TICK_S = 0.05
"""How far apart the moments are at which simulated nodes see to pods that have something coming."""
PODS_AT_HAND = 512
"""Pods that soon go on, which their nodes keep as objects until then; others that wait for something are kept as JSON."""
POD_AT_HAND_S = 3.0
"""What is soon."""
POD_WORKERS = 32
"""Pods whose state the simulated nodes write at a time."""
HEARTBEAT_WORKERS = 32
"""Nodes that report themselves at a time: as many renewals as are due go into one commit, so that a slow disk makes no node late."""
HEARTBEATS_CAUGHT_UP = 300
"""So many of nodes' signs of life that weren't written are written before somebody sees them; of more nodes the last of each."""
NODE_EVENT_OBJECTS_REMEMBERED = 512
"""Objects of which a node remembers what it reported: itself and its pods, which it forgets when they go."""
NODE_NETWORK_S = 30.0
"""How long a new node waits to be given a network for its pods before it says that it has none."""
NODES_INSTALLED_AT_ONCE = 50
"""Node objects of added machines that are created at a time."""
OUTAGE_LONGEST_S = 10 * 365 * 86_400.0
"""For how long a node can be made to fail; for good is longer."""
NODE_IMAGES = 50
"""Images a node reports."""
LOG_TAIL_LINES = 10_000
"""Lines of a log that ``tailLines`` can ask for."""
TERMINATION_MESSAGE_BYTES = 4_096
"""What is read of the file into which a container writes why it ended; the end of it."""
TERMINATION_LOG_BYTES = 2_048
"""What is read of a container's log where it has written nothing; the end of it."""
TERMINATION_LOG_LINES = 80
"""So many lines of it at most."""
TERMINATION_MESSAGES_BYTES = 12 * 1024
"""Messages of all containers of a pod together."""
LOG_TEMPLATES = 256
"""Annotations about logs whose meaning is remembered."""
TYPED_CHARS = 64
"""Of what is typed at a simulated terminal, so much is taken in before others have a turn."""
POD_CONNECTIONS = 1_000
"""Connections to pods (exec, attach, port-forward) that may be open at once."""
JUST_STARTED_S = 3.0
"""Who is attached to a container that was started no longer ago sees what it has said since: they were on their way to it."""
RESPONDER_HEAD_BYTES = 64 * 1024
"""The head of a request to a simulated pod's port."""
CONTAINERS_READ_ONCE = 32
"""Of pods with no more containers than this it is remembered what was read of each; of others, of each but for its name."""
SHARED_CONTAINER_SPECS = 4_096
"""Specs of containers that equal containers share in memory."""
RENDERED_CHARS = 1_000_000
"""What a template of a stage may write."""
TEMPLATE_PATTERN_CHARS = 10_000
"""The longest text, in bytes, in which a template of a stage may look for a regular expression."""
TEMPLATE_PATTERN_BYTES = 1 << 20
"""Memory for one such expression; one that needs more is refused."""
TEMPLATE_MATCHES = 1_000
"""How often a regular expression may be found in one text."""
STAGES = 1_000
"""Stages in force at a time."""
STAGES_AT_ONCE = 20
"""Stages that are played on one object within a second, or in a row with no delay; what would go on without end waits."""
STAGE_REST_FIRST_S = 1.0
STAGE_REST_LONGEST_S = 60.0
"""How long a stage that brings itself about for ever waits before it is played once more: twice as long each time."""
STAGE_RETRY_FIRST_S = 5.0
STAGE_RETRY_LONGEST_S = 300.0
"""After how long a stage that couldn't be played is tried again on an object that hasn't changed: twice as long each time."""
STAGE_MESSAGE_CHARS = 1_024
"""The longest message of an event that a stage reports, or that is reported of it."""
STAGES_TOLD = 5
"""Stages of which it is told what they need before they are played on an object; those that need least."""
STAGES_READ_S = 10.0
"""How long the lives of pods wait at a start for the stages that are objects to be read."""
STAGE_WORKERS = 16
"""Objects of one kind on which stages are played at a time."""
IMAGE_NAMES = 1_024
"""Names of images of which it is remembered what follows from them."""
PROGRAMS = 1_024
"""Command lines whose meaning is remembered."""
FIRST_PROCESSES = 1_000
"""Pods whose containers' processes are kept as far as they were run; of more, those that nobody has looked at for longest are run anew."""
FIRST_COMMAND_CHARS = 8 * 1024
"""A command line that is read to see whether it can be run."""
GUESSED_CHARS = 32 * 1024
GUESSED_COMMANDS = 1_000
GUESSED_WORDS = 4_000
"""A script that is read to guess what it does, its commands, and its words, counted by the characters that may begin one. Of what is longer
nobody knows."""
COMMAND_LINES_PARSED = 8
"""Scripts of command lines that are kept as they are parsed, for all that is asked of them in a row."""
FIRST_PROCESS_STEPS = 500
"""Commands that a first process carries out before that takes time."""
FIRST_PROCESS_PIECE_STEPS = 25
"""As so many commands counts what a program does with `SHELL_PIECE_BYTES`, such as to look for something in them."""
FIRST_PROCESS_SPELL_S = 0.1
"""The time it takes."""
PROBE_SPELL_S = 0.5
"""What it takes in what a probe runs: that is given a second as a rule, and is run again and again."""
FIRST_PROCESS_SPELLS = 10
"""So often; then it takes longer and longer."""
FIRST_PROCESS_SPELL_LONGEST_S = 86_400.0
"""What it takes at the most."""
FIRST_PROCESS_IDLE_S = 10.0
"""So much later a loop that waits for others is looked at, at the most, where nothing has changed for long."""
FIRST_PROCESS_TURNS = 2_000
"""Turns of a loop that are run where many have to be made up for; of those before it is only counted what they have counted."""
SAID_BYTES = 2 * 1024**2
"""What is kept of what a process has said."""
ALL_SAID_BYTES = 64 * 1024**2
"""What is kept of all of them together."""
GIVEN_TO_CONTAINERS_BYTES = 64 * 1024**2
"""States of config maps and secrets that containers were started with, or that volumes show."""
FORMER_SERVICES = 1_000
"""Services as they were before they changed or went, of which containers were told that have been started before."""
GIVEN_OBJECT_COSTS_BYTES = 512
"""What each takes of that, besides what is in it."""
SAID_LINE_COSTS_BYTES = 160
"""What a line takes of that, besides its text."""
SAID_LINE_BYTES = 16 * 1024
"""What a process says without an end of a line, before it is taken as if it had one."""
SIMULATED_DISK_BYTES = 48 * 1024**2
"""Files that commands have made in one container."""
SHELL_MEMORY_BYTES = 64 * 1024**2
"""What is on its way through commands in all containers together: from one to the next, or into files."""
SIMULATED_DISKS_BYTES = 64 * 1024**2
"""Files that commands have made in all containers and volumes together."""
LASTING_DISKS = 2_000
"""Persistent volumes, and disks of nodes, on which commands have made files or looked for some."""
NODE_PATHS_MADE = 20_000
"""Paths on disks of nodes that pods had made before anybody looked there."""
SIMULATED_FILE_COSTS_BYTES = 256
"""What a file takes of that, besides its content."""
SIMULATED_PATH_BYTES = 4_095
"""The path of a file, and what a symbolic link leads to, as with Linux."""
SIMULATED_LINKS = 40
"""Symbolic links that are followed on the way to a file."""
SHELL_SCRIPTS = 256
"""Short scripts within scripts whose meaning is remembered."""
SHELL_SCRIPT_CHARS = 1_024
"""What is short there."""
SHELL_STEPS = 100_000
"""Commands that a simulated shell carries out without letting time pass; then it is killed."""
SHELL_STEPS_A_TURN = 50
"""Commands that it carries out before others have a turn."""
SHELL_PIECE_BYTES = 64 * 1024
"""What its programs look at, or say, before others have a turn; it counts as a command."""
SHELL_ENDLESS_BYTES = 4 * 1024**2
"""What its programs pass on, in memory, of what has no end (`/dev/zero`); then they are ended, as if nobody read any more of it."""
SHELL_PIECE_COSTS_BYTES = 48
"""What a line that a program keeps, or a piece of what it says, takes besides its text."""
SHELL_SORTED_LINE_COSTS_BYTES = 32
"""What it costs to put a line in its order: as much as to look at so many bytes."""
SHELL_SORTED_LINES = 1_000
"""So many lines are put together in their order before that is reckoned."""
SHELL_WORD_COSTS_BYTES = 256
"""What a word counts as that is one of many."""
SHELL_LEVELS = 40
"""How deeply its scripts may be nested, and start one another."""
ENVIRONMENT_CHARS = 2 * 1024 * 1024
"""A container's variables together, and its arguments, with what they refer to: what a kernel hands over to a process."""
ENVIRONMENT_TEXT_CHARS = 128 * 1024 - 1
"""One of them, as with Linux."""
SHELL_VARIABLES_BYTES = 4 * 1024 * 1024
"""What a shell's variables take together, but for those that it began with."""
NETWORK_ALIASES = 8
"""How many names, each of which stands for another, are followed."""
SHELL_JOBS = 1_000
"""Commands that a shell has started in the background."""
SHELL_TEXT_CHARS = 256 * 1024
"""A variable, a line, all arguments of a command."""
SHELL_MOST_SAID_BYTES = 1024 * 1024
"""What commands say that becomes a part of a word."""
SHELL_WORDS = 10_000
"""Arguments of a command, variables, and the names that a pattern finds."""
SHELL_TRIMMED_CHARS = 4_096
"""A pattern, and a value of which one is cut off."""
SHELL_QUICK_PATTERN_CHARS = 64
"""A pattern that is left to regular expressions, which are quick and whose time grows with its length."""
SHELL_PATTERN_CHAR_COSTS_BYTES = 8
"""What a character that is held against a pattern counts as, where that isn't left to them."""
SHELL_REGULARS = 64
"""Regular expressions that have been read and are remembered."""
SHELL_REGULAR_BYTES = 256 * 1024
"""Memory of one."""
SHELL_REGULAR_SIGN_COSTS_BYTES = 32
"""What each of its characters counts as when it is read, and each of its instructions."""
SHELL_REGULAR_STEPS = 4_000_000
"""What one look for it in a text may take at the most: its instructions, each for every byte of the text."""
SHELL_REGULAR_STEPS_A_BYTE = 16
"""How many of those count as one byte that a program looks at."""
SHELL_CLASS_CHARS = 16
"""How far a class in a pattern (``[:alpha:]``) may go on before it isn't taken for one."""
SHELL_PATTERN_STEPS = 512
"""Characters of which one pattern remembers what they match."""
WGET_TRIES = 20
"""How often `wget` in a container tries to reach a host, also where it is to try for ever."""
SHELL_ALTERNATIVES = 100
"""Of a pattern that a line has to match."""
TERMINAL_LINES = 64
"""Lines that may be typed ahead."""
TERMINAL_HISTORY = 100
"""Lines that a simulated terminal remembers."""
TERMINAL_HISTORY_CHARS = 4_096
"""How long a line is that it remembers."""

# metrics/: Simulated metrics.

METRICS_A_TURN = 50
"""Pods whose usage is worked out before others have their turn."""
NODES_ASKED_FOR = 20
"""Nodes that are asked one by one whether they are ready; where pods are on more, all are read at once."""
CPU_TIMES = 20_000
"""Containers and nodes of which it is kept how much processor time they have used."""

# cluster/: The cluster and its process.

EVENT_RATE_BUCKETS = 4_096
"""Namespaces, users or objects whose events are counted by one limit, unless the configuration says otherwise (``cacheSize``)."""
AUDIT_TOGETHER = 1_000
"""Audit events that are written to a log at a time."""
ENCRYPTION_LOOKED_AT_S = 60.0
"""How often the file is looked at that says which objects are encrypted."""
DISRUPTED_PODS = 2_000
"""Pods in a disruption budget's status whose evictions haven't been seen yet; with more, nothing more is evicted."""
SERVICE_NETWORK_ADDRESSES = 8
"""A cluster's own network for Services has at least so many."""
SERVICE_NETWORK_IPV6_PREFIX = 64
"""The shortest prefix of such a network of IPv6."""
NODE_RANGES_BITS = 16
"""Between the prefix of a cluster's network and those of its nodes', as in Kubernetes."""
NODES = 5000
"""Simulated nodes a cluster can be asked to start with."""
SIGNING_S = 365 * 86_400.0
"""For how long certificates are signed, unless ``--cluster-signing-duration`` says otherwise."""
HISTORY_S = 300.0
"""How long a past revision stays readable, and a continue token valid, unless ``--history`` says otherwise."""
SHORTEST_HISTORY_S = 1.0
"""Less would be looked through all the time."""
LONGEST_HISTORY_S = 100 * 365 * 86_400.0
"""The longest history short of one that is kept for ever."""
SLOWEST_PACE = 0.1
FASTEST_PACE = 1000.0
"""Cluster seconds per second that a running clock may be asked for."""
KEPT_FAILURES = 100
"""What made components fail is remembered up to this many times."""
GARBAGE_THRESHOLDS = (20_000, 0, 1)
"""Allocated objects, and searches of the younger generation, after which the interpreter looks for garbage in each generation."""
SEARCHED_BLOCKS = 20_000
"""Where more blocks of memory than this (about three an object) have come to stay, the next search doesn't look at them again: it would
take too long."""
DESCRIPTORS = 65_536
"""Open files that a server's process has itself allowed, where the system lets it."""
OUTBOUND_DESCRIPTORS_SHARE = 4
"""Connections to others take no more of them than one in so many."""
THREAD_TURN_S = 0.0005
"""How long one thread of the process goes on while another wants to."""
COMPONENT_END_S = 5.0
"""How long a component that is stopped may take to end before what it uses is closed nevertheless."""
THREADS_END_S = 1.0
"""How long a process that ends waits for what its threads are still at."""
ASIDE_THREADS = 2
"""Threads of a server for long work: the event loop takes turns with them, so that there must not be many."""
MAPPED_BYTES = 48 * 1024**2
"""Pages of files this process may have mapped in, programs and libraries among them, before it lets go of the store's."""
MAPPED_CHECK_S = 1.0
"""How often that is looked at."""
KEPT_MEMORY_BYTES = 128 * 1024**2
"""The process may hold this much before the allocator has to give back what it keeps of what was freed."""
KEPT_MEMORY_CHECKS = 5
"""After so many of those looks it has to."""

# scenario/: Runs of scenarios.

SPARED_OBJECTS = 100_000
"""Objects of others, and as many of its own, that a run on a cluster that is up keeps apart."""
SCENARIO_VALUES = 200_000
"""Maps, lists and scalars of one file, with what its aliases stand for."""
SCENARIO_OBJECTS = 250_000
"""Objects a scenario's run can follow; in a cluster that has more it is broken off."""
SCENARIO_OBJECTS_BYTES = 1024**3
"""What the objects that a scenario's run follows may come to, packed; in a cluster that has more it is broken off."""
PACKED_TOGETHER_BYTES = 32 * 1024
"""So much of the JSON of a resource's objects is packed together. A larger object is packed alone."""
FOLLOWED_CLOCK_EVERY_S = 1.0
"""How often a run on a cluster that is up looks at that cluster's clock."""
SCENARIO_TRIMMED_BYTES = 8 * 1024**2
"""After so much has been written in a scenario's cluster, the system gets back what the process no longer uses of its memory."""
TIMELINE_MOMENTS = 5_000
"""Moments of a scenario's run that are kept to be shown when it fails."""
TIMELINE_BYTES = 32 * 1024**2
"""What the objects that these moments tell of may come to, as JSON; they are kept packed."""

# tui/: The dashboard.

DASHBOARD_FRAMES_PER_S = 10
"""How often the dashboard draws at the most, however much changes."""
DASHBOARD_RECONNECT_LONGEST_S = 2.0
"""How long the dashboard waits at most before it tries again to reach its cluster: somebody is looking at it."""
DASHBOARD_ROWS = 100_000
"""Objects one table of the dashboard keeps; further ones are counted."""
DASHBOARD_LINES = 10_000
"""Lines of a log, or of a text, the dashboard keeps."""
DASHBOARD_VIEWS = 50
"""Tables the way back remembers."""
DASHBOARD_NAMESPACES = 500
"""Namespaces the dashboard suggests."""

# printing/: Objects as people read them.

WHY_LEVELS = 6
"""How far below an object `why` looks for the cause."""
WHY_BELOW = 10
"""Objects below one that it looks at."""
WHY_LISTED = 500
"""Objects of each kind that it looks through for those that another waits for."""
WHY_EVENTS = 3
"""The last events about an object that it tells of."""
WHY_OVERDUE_S = 5.0
"""How long after its time something counts as overdue: till then it may still be on its way."""
WHY_LAST_WORDS = 500
"""Characters of what a container said of its end, counted from there."""

# cli/: The command line.

REPLAY_GARBAGE_THRESHOLDS = (200_000, 0, 0)
"""As `GARBAGE_THRESHOLDS`, where scenarios are replayed: nobody waits for an answer while the interpreter looks."""
DIFF_TRIES = 5
"""How often ``diff`` looks at an object that others change at the same moments."""
STATUS_S = 5.0
"""How long a server may take to say how it is."""
WEBHOOK_FILE_POLL_S = 0.3
"""How often ``webhook serve`` looks whether its files have changed."""
WEBHOOK_CLUSTER_POLL_S = 1.0
"""How often it looks whether its cluster is still there."""
WEBHOOK_OWN_SHARE = 0.9
"""Of the time that the cluster waits, a handler has so much: then it is given up, so that the cluster is still told why."""
WEBHOOK_FUNCTIONS_AT_ONCE = 64
"""Reviews that it has functions in a file answer at a time; others wait."""
WEBHOOK_COMMANDS_AT_ONCE = 8
"""Commands that it runs at a time, one for each review."""
WEBHOOK_END_S = 5.0
"""How long reviews under way are waited for at its end, unless that is cut."""
WEBHOOK_OTHER_S = 1.0
"""How long another one that may still be there is waited for at its beginning."""
CLUSTER_NAME_CHARS = 63
KEPT_ANSWERS = 50
"""Servers whose types are remembered for the next command, and schemas of theirs; the oldest go first."""
OUTAGE_S = 60.0
"""How long a command that follows objects waits for a server that has gone away."""
OUTAGE_PAUSE_S = 3.0
"""The longest pause between its attempts."""
PAUSED_TOLD_S = 1.0
"""How long a command hears nothing new of containers or changes before it looks whether the clock is paused, and says so."""
STEP_LEFT_S = 2.0
"""Seconds that a command which ended its step early asks whether the clock stands."""
STEP_LOOK_S = 0.01
"""Seconds between two such questions."""
DRAIN_LOOK_S = 1.0
"""How often a drain looks which pods are gone."""
DECISION_TRIES = 10
"""How often a request for a certificate that others change meanwhile is decided about."""
APPLY_TRIES = 6
"""How often ``apply`` makes a patch for an object that others keep changing."""
MIGRATION_TRIES = 5
"""How often ``apply --server-side`` tries to take over what was applied from the client."""
MANIFEST_BYTES = 64 * 1024**2
"""A manifest that is fetched from the web."""
FETCH_S = 60.0
"""How long fetching it may take."""
FETCH_TRIES = 3
"""How often it is asked for where its server has trouble."""
FETCH_PAUSE_S = 0.5
"""The pause between the first two of them; the next is longer by as much."""
SERVER_LOG_BYTES = 10 * 1024**2
"""Size of a server's log file; a full one is put aside and a new one begun."""
SERVER_LOGS_KEPT = 1
"""Full log files that are kept."""
