/** All limits by name: no request may use memory without bound. Limits that are options have their defaults here. */

/** Bytes of a request body; more is 413. The reference's `MaxRequestBodyBytes`. */
export const requestBodyBytesMax = 3 * 1024 * 1024

/** Bytes of a YAML request body; more is 413. Parsing YAML costs about 30 times as much as parsing JSON. */
export const yamlBodyBytesMax = 1024 * 1024

/** Nested lists and objects in a document. `JSON.stringify` and recursive walks overflow the stack at some 2,500. */
export const documentDepthMax = 1000

/**
 * Nested lists and objects in a YAML document; more is 400. The library that reads files overflows the stack at some
 * 800 levels, and if V8 compiles a regular expression at that moment, the process ends. The deepest real documents,
 * schemas of definitions, have about 60.
 */
export const yamlDepthMax = 256

/**
 * Objects, lists and scalars of one document that a client sends, in any encoding, including its defaults; more is 413.
 * The largest real object, an Endpoints of 5,000 addresses with targets, has 40,000 as JSON and 60,000 in the compact
 * encoding. In a map that is sent together with its entries in `managedFields` each key counts twice. Stored objects
 * and lists are read without this limit.
 */
export const documentValuesMax = 65_536

/**
 * Fields of one object in such a document, and in the result of a patch; more is 413. Each step of a write goes through
 * the fields of a map without a break, which takes 10 to 30 ms for this many. A ConfigMap of 1 MiB has as many if they
 * take 64 bytes each with their names.
 */
export const objectFieldsMax = 16_384

/** Values of a document that are parsed or normalized before other requests get a turn: about 10 ms. */
export const turnValues = 10_000

/** YAML up to this size is parsed on the main thread, in 25 ms at most; longer texts and aliases in a worker thread. */
export const yamlAtOnceBytes = 8 * 1024

/** Milliseconds and MiB of the worker thread for one YAML document; more is 413. The largest take a tenth of both. */
export const yamlReadTimeoutMs = 30_000
export const yamlThreadMemoryMiB = 1024

/** YAML documents waiting for the worker thread, of up to `yamlBodyBytesMax` each; more is 429. */
export const yamlWaitingMax = 64

/** Milliseconds without a document after which the worker thread ends. */
export const yamlThreadIdleMs = 30_000

/** Values that all aliases of one YAML document may expand to: aliases to aliases would grow without bound. */
export const yamlAliasValuesMax = 50_000

/**
 * Bytes of one stored object, in any encoding; a write of more is 413. etcd accepts 1.5 MiB by default, and bodies have
 * up to 3 MiB: a longer object has grown on the server, through defaults, escapes or managed fields.
 */
export const objectBytesMax = 8 * 1024 * 1024

/** Operations in one JSON patch; more is 413. kube-apiserver 1.30. */
export const jsonPatchOperationsMax = 10_000

/**
 * Bytes that the `copy` operations of a JSON patch may add; more is 422, like `documentValuesMax`. kube-apiserver 1.30.
 */
export const jsonPatchCopyBytesMax = 3 * 1024 * 1024

/** Unknown and duplicate fields named in one response; the reference names as many. */
export const strictErrorsMax = 100

/** Characters of a message about one field: names and values in it are the client's. */
export const messageCharactersMax = 1024

/** Failures in one response, and other objects that one write may newly refer to: each costs a look-up. */
export const failuresMax = 256
export const expectedObjectsMax = 256

/** Characters of the fields and details of these failures, including a client's keys; validation stops beyond it. */
export const failureCharactersMax = 256 * 1024

/** Characters of a refused value shown in a message. */
export const shownValueCharactersMax = 512

/** Characters of a list of names, managers or fields within one message; the rest is counted. */
export const shownListCharactersMax = 8192

/** Characters of a response's `Warning` headers; beyond it each is cut to `warningCharactersMax`. The reference's. */
export const warningsCharactersMax = 4096
export const warningCharactersMax = 256

/** Warnings of one kind about pairs of a pod's ports or projected files. More do not fit `warningsCharactersMax`. */
export const podWarningsMax = 128

/** Smaller responses are not compressed; the reference's `defaultGzipThresholdBytes`. */
export const gzipThresholdBytes = 128 * 1024

/**
 * Bytes of a list that are collected before they are written to the connection. Measured: 64 KiB costs 1.6 times the
 * CPU of 256 KiB; a page of 500 objects in one write costs a tenth less than in three.
 */
export const listWriteBytes = 1024 * 1024

/**
 * Bytes of all buffers in which lists are collected at a time; beyond it a list gets `crowdedListWriteBytes`, so that
 * hundreds of slow readers cost CPU instead of memory. Measured with bench/concurrent-lists.ts.
 */
export const listBuffersBytesMax = 16 * 1024 * 1024
export const crowdedListWriteBytes = 64 * 1024

/** A list of at most this size is copied out of its write buffer, so that a slow reader does not pin the buffer. */
export const copiedListBytesMax = 32 * 1024

/** Containers or addresses named in a message, and characters of each: the longest host name has 253. */
export const shownItemsMax = 32
export const shownNameCharactersMax = 256

/** Characters of a rejected body shown in an error message. */
export const shownBodyCharactersMax = 30

/** Names generated for `generateName` before a collision is reported to the client; kube-apiserver 1.30. */
export const generatedNameTries = 8

/** Attempts at work that others can spoil each time, where nothing orders them. */
export const conflictAttemptsMax = 20

/** Milliseconds that a read waits for a version that the cache has not reached; then 504. kube-apiserver 1.30. */
export const staleReadTimeoutMs = 3000

/** Milliseconds that such a read waits where the cache may be up to date without knowing it; then the store is read. */
export const unconfirmedVersionWaitMs = 50

/** Bytes of events queued for a slow watcher; beyond it the stream ends and the client resumes from its last event. */
export const watchQueueBytesMax = 8 * 1024 * 1024

/** Value of Retry-After, in seconds, for a 429 because too many requests are in flight; the reference's. */
export const tooManyRequestsRetrySeconds = 1

/**
 * Bytes waiting in the stream of one watcher above which it gets no more events until it has read them; its events wait
 * in a buffer that all watchers share. This is as much as one response may have in transit over HTTP/2, so hundreds of
 * watchers that catch up hold little memory.
 */
export const watchWaitingBytesMax = 64 * 1024

/** Bytes of small frames joined to one write to a watcher. A longer frame is written separately and shared by all. */
export const watchWriteBytes = 128 * 1024

/** Milliseconds by which `--request-timeout` may be early: requests that begin within this time share a timer. */
export const deadlineEarlyMs = 50

/** Milliseconds by which bookmarks and ends of watches may be late: everything due in one step shares a timer. */
export const watchTimerStepMs = 100

/** Bytes of one message from a websocket watch's client, which need not send any; more closes with 1009. */
export const websocketMessageBytesMax = 16 * 1024

/** Milliseconds that the other end of a websocket has to confirm the close; then the connection is destroyed. */
export const websocketCloseTimeoutMs = 5000

/**
 * Bytes of the request line and all header fields of one request; more is 431. Long selectors are part of the request
 * line; the reference accepts 1 MiB.
 */
export const requestHeaderBytesMax = 256 * 1024

/** Header fields of one request; this many or more are 431. Node's parser collects them in quadratic time. */
export const requestHeaderFieldsMax = 2000

/**
 * Characters, and media types, of one `Accept` header; more is 400. Parsing takes a microsecond per type and happens
 * before authentication. Browsers send ten types in 150 characters; the longest real header (aggregated discovery) has
 * three in 250.
 */
export const acceptCharactersMax = 8192
export const acceptTypesMax = 100

/**
 * Parameters of one query; more is 400. Parsing this many takes 5 ms. Every known option is searched for among them.
 * Commands of `exec` are the longest real queries, with a parameter for each argument.
 */
export const queryParametersMax = 50_000

/** Memoized texts per kind of header field and query, and characters of the longest; a full cache is dropped. */
export const memoizedTextsMax = 256
export const memoizedCharactersMax = 256

/** Memoized paths of collections, and characters of the longest one; when the number is exceeded, all are dropped. */
export const knownPathsMax = 1024
export const knownPathCharactersMax = 512

/**
 * Milliseconds for a request's header or any other HTTP/2 frame to arrive, and for an idle connection. The reference's.
 */
export const requestHeaderTimeoutMs = 32_000
export const idleConnectionTimeoutMs = 90_000

/**
 * Milliseconds for which a connection is still read after the final response to a malformed request. After an immediate
 * close the client might never see the response.
 */
export const lingerMs = 1000

/** Bytes of a body discarded after the response to reuse the connection; beyond it the connection is closed. */
export const unreadBodyBytesMax = 64 * 1024 * 1024

/** Characters of an `Origin` that is matched with `--cors-allowed-origins`; longer ones are never allowed. */
export const originCharactersMax = 512

/**
 * Milliseconds of silence until TCP probes a client: nothing else detects one that was unplugged during a watch over
 * HTTP/1.1. The reference's. Node then probes every second and gives up after ten probes; with a shorter time, fewer
 * watches would survive a brief network outage.
 */
export const clientKeepAliveMs = 180_000

/** Milliseconds between two checks of all connections for stalled ones. Their time limits are as precise as this. */
export const connectionCheckMs = 2000

/** Milliseconds between two checks of how much of a request head has arrived on unauthenticated HTTP/1.1. */
export const strangerCheckMs = 100

/**
 * Milliseconds in which a client must read `writeProgressBytes` of a waiting response, or all of it if it is shorter;
 * otherwise the stream is reset. Clients do pause this long: kubectl behind a pager, a controller during garbage
 * collection.
 */
export const writeStallTimeoutMs = 30_000

/**
 * The same when the connection's socket is what is blocked; then the connection is closed. Longer, because the kernel
 * takes bytes from us in chunks of a megabyte and more, for which a client of 256 kbit/s needs 45 seconds.
 */
export const socketStallTimeoutMs = 60_000

/**
 * Bytes that count as progress: 1 KB/s on average, or a client could hold a megabyte by reading a byte now and then.
 */
export const writeProgressBytes = 30 * 1024

/**
 * Bytes per second that a client must read for its response to continue once the request is older than
 * `--request-timeout`. A list of 20 MB takes a client of 1 Mbit/s, 125 KB/s, 160 seconds, and pins a snapshot of the
 * cache for that time.
 */
export const lateAnswerBytesPerSecondMin = 16 * 1024

/** Bytes passed to an HTTP/1.1 connection at a time, so that the progress of its client is visible. */
export const http1WriteBytes = 256 * 1024

/**
 * Bytes that the process holds for all authenticated clients: unread heads and bodies of requests, responses and events
 * that were not read yet. Beyond it the connection that holds most is closed. A hundred clients that send 3 MiB each
 * need 300 MiB; responses take the rest. Frames that watches share over HTTP/2 count once, so that a large object may
 * change under thousands of watches.
 */
export const authenticatedClientsBytesMax = 512 * 1024 * 1024

/** The same for unauthenticated connections: request heads and refusals. 4,000 concurrent requests need as much. */
export const strangersBytesMax = 32 * 1024 * 1024

/** Open streams of an HTTP/2 connection; the default of `--http2-max-streams-per-connection`, as in the reference. */
export const http2StreamsMax = 250

/** Milliseconds between pings of HTTP/2 connections and websockets; three without an answer end the connection. */
export const http2CheckIntervalMs = 20_000

/** Bytes that an open request counts in addition to its head, body and response: the objects allocated for it. */
export const requestCostBytes = 8 * 1024

/** Requests waiting for responses on one HTTP/1.1 connection; more close it. Real clients do not send a second. */
export const http1PipelinedRequestsMax = 100

/** Connections, or fewer if the limit of open files is lower; more are closed at once. 5,000 nodes have two each. */
export const connectionsMax = 20_000

/** File descriptors reserved for the store, peers and proxied connections; a quarter of all when the limit is low. */
export const reservedFilesMax = 1000

/**
 * Unauthenticated connections of one address; more are closed at once. Clients that share an address, behind a load
 * balancer or in a pod network, authenticate with their first request, so only clients that connect at the same moment
 * count.
 */
export const strangersPerAddressMax = 2000

/**
 * Unauthenticated connections that may use TLS at a time, at 125 KB each, and the milliseconds for which they may do so
 * while others of the same address wait: then the oldest is closed. Clients authenticate within a round trip of their
 * handshake, and at most 700 handshakes are possible per second.
 */
export const strangersOpenMax = 128
export const strangerGraceMs = 1000

/**
 * Milliseconds of each turn of the event loop for reading unauthenticated connections, and bytes of one of them that
 * are read at a time: a dozen requests. Measured by the clock, since no such input is worth more than that. Short,
 * because node accepts one connection per turn: with 5 ms and a thousand such connections a newcomer waited 4 s to be
 * accepted.
 */
export const strangersTurnMs = 1
export const strangersReadBytes = 1024

/** Bytes of such a connection read before other connections: enough for the preface and first request of any client. */
export const strangersFreshBytes = 8192

/**
 * Milliseconds of each turn of the event loop in which TLS handshakes are started, at least one: each takes about one.
 * Measured by the clock, as above.
 */
export const handshakesTurnMs = 2

/**
 * Turns of the event loop between two turns in which handshakes are started. In each, node accepts one connection of
 * the kernel's queue, and addresses can take turns only once their connections are accepted. When as many were accepted
 * as had handshakes, clients that reconnected continuously kept a newcomer waiting for 1.4 s.
 */
export const handshakesTurnsBetween = 3

/** Burst and rate per second of log lines about connections that were closed or refused. */
export const warningsBurst = 10
export const warningsPerSecond = 1

/** Milliseconds from accepting a connection to the end of its TLS handshake. */
export const tlsHandshakeTimeoutMs = 10_000

/** Evictions of a budget pending until its controller has seen the pods disappear; kube-apiserver 1.30. */
export const disruptedPodsMax = 2000

/** Attempts to evict a pod without a budget that keeps changing; kube-apiserver 1.30. */
export const evictionTries = 20

/** Path steps of a field by which a list is sorted or selected. */
export const fieldReferenceStepsMax = 32

/**
 * Requirements of one label or field selector, and values of a label selector altogether; more is 400. Parsing takes a
 * microsecond each; the cost per object does not grow with them. The longest real ones select some hundred objects by
 * name, `x in (...)`.
 */
export const selectorRequirementsMax = 1000
export const selectorValuesMax = 10_000

/** Requirements of one extended field selector: each is evaluated for every object. */
export const fieldRequirementsMax = 100

/** Fields by which one list is sorted. */
export const sortFieldsMax = 4

/** Objects sorted in memory at once. A page never has more; a list without `limit` is refused with advice to page. */
export const sortedObjectsMax = 100_000

/**
 * Work of one request before others get a turn, in about microseconds on the project's machine; see `base/turns.ts`.
 */
export const turnWorkMax = 5000

/**
 * Work of delivering one commit's events to watchers before others get a turn of the event loop, in the same unit. Some
 * thousand watchers get them at once, which keeps their lag short; the rest in turns of `turnWorkMax`.
 */
export const fanOutWorkMax = 10_000

/**
 * Labels and fields of one resource that have an index for selection at a time; the least recently used is dropped. The
 * largest real use needs two or three: a node's pods, an application's. An index takes 8 bytes and a little more per
 * object, and each write reads the indexed values.
 */
export const selectedNamesMax = 8

/**
 * Bytes of a body or object from which it is parsed, patched and written in turns, one such object at a time. Smaller
 * ones take less than 20 ms altogether, each stage of the smallest large one a few milliseconds.
 */
export const largeObjectBytes = 64 * 1024

/**
 * Steps that the rules of a schema may take on one object: items that macros and `in` visit, each time. Two lists of a
 * thousand items may be compared with each other; the rules of a pod with a hundred containers take some hundred. The
 * reference has such a budget for CEL.
 */
export const ruleStepsMax = 1_000_000

/** Fields in an apply's conflicts named in the response, of `messageCharactersMax` characters; others are counted. */
export const conflictCausesMax = 500

/**
 * Field managers of one object, which have an entry of `metadata.managedFields` each; more is 422. The reference limits
 * updaters only; objects with some dozen appliers are rare.
 */
export const managersMax = 1000

/** Updaters among the field managers of one object; beyond it the oldest are merged. kube-apiserver 1.30. */
export const updatersMax = 10

/** Characters of a CronJob's schedule: every minute of an hour written out in all five fields takes 600. */
export const scheduleCharactersMax = 4096

/** Bytes of all annotation keys and values of one object; the limit itself is accepted. */
export const annotationsBytesMax = 256 * 1024

/** Bytes of a field manager's name: of the `fieldManager` parameter, and of the part taken from the User-Agent. */
export const managerBytesMax = 128

/** Milliseconds for connecting to a pod, service or node behind a proxy path; the reference's 30 seconds. */
export const proxyDialTimeoutMs = 30_000

/**
 * Pods that one request through a service's proxy reads to find one that confirms the address of an endpoint; then 503.
 * With correct endpoints the first one does.
 */
export const endpointPodsMax = 100

/**
 * Milliseconds until the machine behind a proxy path, or a node agent, must begin its response, once it has received
 * the request; then 504. Responses themselves have no time limit. The reference waits for ever; long polls take
 * minutes.
 */
export const proxyAnswerTimeoutMs = 600_000

/** Informational responses (1xx) to one proxied request: one per second is more than any real server sends. */
export const informationalAnswersMax = 600

/** Bytes of the head, and of the trailers, of a response that is passed on. The largest real ones have some 10 KB. */
export const answerHeaderBytesMax = 256 * 1024

/** Header fields of a response that is passed on; this many or more are 502. As for requests. */
export const answerHeaderFieldsMax = 2000

/** Characters of a proxy path inserted into links; the longest real one has some 450. Longer ones multiply a page. */
export const linkPrefixCharactersMax = 1024

/** Bytes of a node agent's refusal that are read for the message of the Status; the reference's number. */
export const refusalBytesMax = 50_000

/** Milliseconds that the body of a node agent's refusal may take; the reference's number. */
export const refusalTimeoutMs = 10_000

/** Milliseconds without a byte until a tunnel is closed, at most twice as long; as the reference's node agent does. */
export const tunnelIdleTimeoutMs = 4 * 3600 * 1000

/** Milliseconds for which the addresses of this machine are cached: they change while the server runs. */
export const ownAddressesMs = 1000

/** Milliseconds of silence until TCP probes the other end of a proxied connection. */
export const tcpKeepAliveMs = 30_000

/**
 * Bytes of one link in a tag of an HTML page that are held back until the link is complete; a longer link passes
 * unchanged, and everything else is passed on immediately. Links to paths have some hundred bytes; data URLs are long
 * and are never rewritten.
 */
export const htmlTagBytesMax = 64 * 1024

/**
 * Bytes of the objects of one resource whose readings are kept, such as the selectors of disruption budgets: enough for
 * ten thousand usual budgets. A kept selector of many keys takes about four times its bytes.
 */
export const keptReadingsBytesMax = 20 * 1024 * 1024

/** Cached path elements of fields, with names of at most 64 characters; a full cache is dropped. */
export const fieldElementsMax = 4096

/** Cached parsed quantities, of at most 16 characters; when the number is exceeded, all are dropped. */
export const knownQuantitiesMax = 1024

/**
 * Cached path elements of items per keyed list, with keys of at most 64 characters; dropped after 16 times as many
 * misses.
 */
export const itemElementsMax = 256

/** Bytes of JSON of the objects that are kept decoded after a write; decoded, they take several times as much. */
export const recentObjectsBytes = 8 * 1024 * 1024

/** Characters of all cached sets of owned fields together; a full cache is dropped. */
export const sharedSetsCharactersMax = 4 * 1024 * 1024

/** Characters of a cached set of owned fields; a pod with three containers of twenty variables has about 10,000. */
export const sharedSetCharactersMax = 32 * 1024

/** Milliseconds for which the event loop may be held before it is logged: all requests wait meanwhile. */
export const loopHoldMs = 100

/** Resources whose requests `/metrics` counts separately; a resource has some twenty series. */
export const meteredResourcesMax = 1000

/** Milliseconds between two checks that the event loop turns, and between two samples of its delay. */
export const loopBeatMs = 50
export const loopDelayResolutionMs = 20

/** Undecodable stored values that are remembered per resource; others are reported again each time they are read. */
export const undecodableRememberedMax = 100

/** Milliseconds for which the result of a health check is cached, and in which a program beside the server answers. */
export const healthRememberedMs = 100
export const componentProbeMs = 3000

/** Kinds whose caches are filled in parallel at start. */
export const fillsAtOnce = 4
