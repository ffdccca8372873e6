/**
 * Every limit of the wire and the kit, by name (promise 5: no request grows memory without bound). A limit that is an
 * option of the server has its default here; one that is not is fixed.
 */

/** Bytes of a request body; beyond it 413. The reference's `MaxRequestBodyBytes`. */
export const requestBodyBytesMax = 3 * 1024 * 1024

/** Bytes of a YAML request body; beyond it 413. Reading YAML costs about 40 times as much as reading JSON. */
export const yamlBodyBytesMax = 1024 * 1024

/** Nested lists and objects in a document. Beyond some 2,500 levels `JSON.stringify` and every recursive walk would overflow the stack. */
export const documentDepthMax = 1000

/**
 * Nested lists and objects in a YAML document; beyond it 400. The library that reads YAML overflows the stack at some 800 levels, and an engine that
 * compiles an expression there ends the process. The deepest real documents, schemas of definitions, have about 60.
 */
export const yamlDepthMax = 256

/**
 * Objects, lists and scalars of one document that a client sends, in any encoding, and of what its defaults make of it; beyond it 413. The
 * largest real object, an Endpoints of 5,000 addresses with targets, has 40,000 as JSON and 60,000 in the compact encoding. Of a map that is
 * sent together with its owners in `managedFields` each key counts twice. What is stored is read however many values it has, and so are lists.
 */
export const documentValuesMax = 65_536

/**
 * Fields of one object in such a document, and in what a patch makes of the stored object; beyond it 413. Each step of a write goes through the fields
 * of a map at once, and so many take it 10 to 30 ms. A ConfigMap of 1 MiB has so many when they take 64 bytes each with their names.
 */
export const objectFieldsMax = 16_384

/** Values of a document that are read, or brought into the form of their types, before other requests get their turn: about 10 ms. */
export const turnValues = 10_000

/** Bytes of YAML up to which it is read where it came: that takes 20 ms at most. Longer texts, and texts with aliases, are read in a thread of their own. */
export const yamlAtOnceBytes = 8 * 1024

/** Milliseconds that the thread may take for one YAML document, and MiB of its memory; beyond it 413. The largest take a tenth of both. */
export const yamlReadTimeoutMs = 30_000
export const yamlThreadMemoryMiB = 1024

/** YAML documents that wait for the thread, of `yamlBodyBytesMax` each; beyond it 429. */
export const yamlWaitingMax = 64

/** Milliseconds without a document after which the thread ends. */
export const yamlThreadIdleMs = 30_000

/** Values that the aliases of one YAML document may stand for altogether; a document of aliases to aliases grows without bound. */
export const yamlAliasValuesMax = 50_000

/**
 * Bytes of one stored object, in any encoding; beyond it 413, while it is written. etcd takes 1.5 MiB by default, and bodies have 3 MiB: what is
 * longer has grown on the way here, by defaults, escapes or owners.
 */
export const objectBytesMax = 8 * 1024 * 1024

/** Operations in one JSON patch; more is 413. kube-apiserver 1.30. */
export const jsonPatchOperationsMax = 10_000

/** Bytes that all `copy` operations of one JSON patch may add together; more is 422, as is more than `documentValuesMax` values. kube-apiserver 1.30. */
export const jsonPatchCopyBytesMax = 3 * 1024 * 1024

/** Unknown and duplicate fields that are named in one answer; the reference names as many. */
export const strictErrorsMax = 100

/** Characters of a message about one field: names and values in it come from the client. */
export const messageCharactersMax = 1024

/** Faults that one answer names; beyond it validation ends. */
export const failuresMax = 256

/** Characters of the fields and explanations of these faults, keys that a client sent among them; when there are more, validation ends. */
export const failureCharactersMax = 256 * 1024

/** Characters of a refused value that a message shows. */
export const shownValueCharactersMax = 512

/** Characters of a list of names, owners or fields within one message; what is more is counted. */
export const shownListCharactersMax = 8192

/** Characters of all `Warning` headers of an answer; beyond it each is cut to `warningCharactersMax`. The reference's numbers. */
export const warningsCharactersMax = 4096
export const warningCharactersMax = 256

/** Warnings of one kind about the ports or projected files of a pod, of which every pair may deserve one. No more go into `warningsCharactersMax`. */
export const podWarningsMax = 128

/** Answers smaller than this are not compressed; the reference's `defaultGzipThresholdBytes`. */
export const gzipThresholdBytes = 128 * 1024

/**
 * Bytes gathered before a list is written to the connection. Measured: 64 KiB costs 1.6 times the CPU of 256 KiB; a page of 500 objects that goes
 * out in one write costs a tenth less than in three.
 */
export const listWriteBytes = 1024 * 1024

/**
 * Bytes of all buffers in which lists are gathered at a time; beyond it a list gets `crowdedListWriteBytes`, so that hundreds of slow readers
 * cost CPU and not memory. Measured with bench/concurrent-lists.ts.
 */
export const listBuffersBytesMax = 16 * 1024 * 1024
export const crowdedListWriteBytes = 64 * 1024

/** A list of at most so many bytes is copied out of the buffer it was gathered in, so that a slow reader of a short list does not hold a long buffer. */
export const copiedListBytesMax = 32 * 1024

/** Containers of a pod, or addresses of a node, that a message names, and characters of each: the longest name of a host has 253. */
export const shownItemsMax = 32
export const shownNameCharactersMax = 256

/** Characters of a rejected body that an error message shows. */
export const shownBodyCharactersMax = 30

/** Names drawn for `generateName` before a collision is the client's to solve; kube-apiserver 1.30. */
export const generatedNameTries = 8

/** Attempts of one update or delete whose client pinned no version, before it gets a 409. */
export const conflictRetries = 20

/** How long a read waits for a version that the cache has not reached, in milliseconds; then 504. kube-apiserver 1.30. */
export const staleReadTimeoutMs = 3000

/** How long such a read waits, in milliseconds, where the cache may have that version without knowing it; then the store is read. */
export const untoldWaitMs = 50

/** Bytes of events that may wait for one slow watcher; beyond it the stream is ended and the client resumes from its last event. */
export const watchQueueBytesMax = 8 * 1024 * 1024

/** Seconds after which a client may come again that was answered 429 because too many requests were in flight; the reference's. */
export const crowdedRetrySeconds = 1

/**
 * Bytes that wait in the stream of one watcher before it is handed no more until it has taken them; meanwhile its events wait where all watchers share
 * them. As much as one answer may have on its way over HTTP/2, so that hundreds of watchers that catch up hold little.
 */
export const watchWaitingBytesMax = 64 * 1024

/** Bytes of small frames that are put together into one write to a watcher; a longer frame is written by itself, and is the same for all watchers. */
export const watchWriteBytes = 128 * 1024

/** Milliseconds by which `--request-timeout` may end a request too early: requests that begin within so many share a timer. */
export const deadlineEarlyMs = 50

/** Milliseconds by which bookmarks and ends of watches may be late: what falls due in one step is done by one timer. */
export const watchTimerStepMs = 100

/** Bytes of one message from the client of a websocket watch, who has nothing to say; beyond it the connection is closed with 1009. */
export const websocketMessageBytesMax = 16 * 1024

/** Milliseconds that the other end of a websocket has to confirm that it is closed; then the connection is cut. */
export const websocketCloseTimeoutMs = 5000

/** Bytes of the request line and all header fields of one request; beyond it 431. Long selectors stand in the path; the reference takes 1 MiB. */
export const requestHeaderBytesMax = 256 * 1024

/** Header fields of one request; as many and more are 431. Node's parser gathers them at a cost that grows with their square. */
export const requestHeaderFieldsMax = 2000

/**
 * Characters, and media types, of one `Accept`; beyond it 400. Reading it takes a microsecond for each type, before it is known who asks. Browsers
 * send ten types in 150 characters, the longest real one (aggregated discovery) three in 250.
 */
export const acceptCharactersMax = 8192
export const acceptTypesMax = 100

/**
 * Parameters of one query; beyond it 400. So many take 5 ms to read. Every option that a request may have is looked for among them. Commands of `exec`
 * are the longest real ones, a parameter for each argument.
 */
export const queryParametersMax = 50_000

/** Texts of each kind of header field and query that are kept with what was read of them, of so many characters at most; when there are more, all are forgotten. */
export const rememberedTextsMax = 256
export const rememberedCharactersMax = 256

/** Paths of collections that are kept with what was read of them, of so many characters at most; when there are more, all are forgotten. */
export const knownPathsMax = 1024
export const knownPathCharactersMax = 512

/**
 * Milliseconds for the header of a request to arrive, or any other frame of HTTP/2, and for a connection to stay open without a request. The
 * reference's.
 */
export const requestHeaderTimeoutMs = 32_000
export const idleConnectionTimeoutMs = 90_000

/** Milliseconds that a connection is read on after a final answer to what was no request: closed at once, the client might never see the answer. */
export const lingerMs = 1000

/** Bytes of a body that are read and dropped after the answer, so that the connection may have another request; beyond it the connection ends. */
export const unreadBodyBytesMax = 64 * 1024 * 1024

/** Characters of an `Origin` that patterns of `--cors-allowed-origins` are tried on; longer ones are never allowed. */
export const originCharactersMax = 512

/**
 * Milliseconds of silence until TCP asks whether a client is still there: one that was unplugged amid a watch over
 * HTTP/1.1 is found by nothing else. The reference's. Node then asks every second and gives up after ten: asked sooner,
 * more watches would not survive a short break of the network.
 */
export const clientKeepAliveMs = 180_000

/** Milliseconds between two looks at all connections: whether they wait for something that does not come. Their time limits are as exact as this. */
export const connectionCheckMs = 2000

/** Milliseconds between two looks at how much of a head has come on connections of HTTP/1.1 on which no request has authenticated yet. */
export const strangerCheckMs = 100

/**
 * Milliseconds in which a client has to take `writeProgressBytes` of an answer that waits for it, or all that waits if that is less; then the stream is
 * reset. A client may pause for so long: kubectl behind a pager, a controller that collects its garbage.
 */
export const writeStallTimeoutMs = 30_000

/**
 * The same where the connection's socket is what holds everything up; then the connection is ended. Longer, since the system takes bytes from us in
 * lumps of a megabyte and more, which a client of 256 kbit/s needs 45 seconds for.
 */
export const socketStallTimeoutMs = 60_000

/** Bytes of progress that count as such: 1 KB/s on average. A client that takes a byte now and then would keep an answer of a megabyte for ever. */
export const writeProgressBytes = 30 * 1024

/**
 * Bytes a second that the client of an answer has to take, once its request is older than `--request-timeout`, for the answer to go on. A list of 20 MB
 * takes a client of 1 Mbit/s, 125 KB/s, 160 seconds; while it lasts it holds a state of the cache.
 */
export const lateAnswerBytesPerSecondMin = 16 * 1024

/** Bytes that are handed to a connection of HTTP/1.1 at a time, so that the progress of its client can be seen. */
export const http1WriteBytes = 256 * 1024

/**
 * Bytes that the process keeps for all clients that have authenticated: heads and bodies of requests that are not read
 * yet, answers and events that are not taken yet. Beyond it the connection that holds most is ended. A hundred clients
 * that send 3 MiB at a time need 300 MiB, the answers beside them the rest. Frames that watches share over HTTP/2 count
 * once, so that a long object may change under thousands of watches.
 */
export const knownClientsBytesMax = 512 * 1024 * 1024

/**
 * The same for connections on which no request has authenticated yet: they hold heads, and refusals. 4,000 requests without a credential at a time need
 * as much.
 */
export const strangersBytesMax = 32 * 1024 * 1024

/** Bytes that a request counts for while it is open, besides its head, body and answer: the objects that are made for it. */
export const requestCostBytes = 8 * 1024

/** Requests of one HTTP/1.1 connection that wait for their answers; beyond it the connection is ended. Real clients do not send a second one. */
export const http1PipelinedRequestsMax = 100

/** Connections of a server, unless it may have fewer files open; more are closed at once. 5,000 nodes have two each. */
export const connectionsMax = 20_000

/** Files that a server with many connections leaves for its store, its peers and proxied connections; a quarter of all when it may have few. */
export const reservedFilesMax = 1000

/**
 * Connections of one address on which no request has authenticated yet; more are closed at once. Clients behind one address, of a load balancer or a
 * pod network, authenticate with their first request, so that only those that connect at the same moment count.
 */
export const strangersPerAddressMax = 2000

/**
 * Connections on which no request has authenticated yet that may speak TLS at a time, which takes 125 KB of each, and milliseconds for which they may when
 * others of the same address wait for it: then the oldest is ended. Clients authenticate within a round trip of their handshake, of which no more than 700 are made in a second.
 */
export const strangersOpenMax = 128
export const strangerGraceMs = 1000

/**
 * Milliseconds of each turn of the event loop in which is read what connections say on which no request has authenticated yet, and bytes of one of them
 * that are read at a time: a dozen requests. By the clock, since nothing of what they say is worth more than that. Few, since node accepts one connection
 * in each turn: with 5 ms for a thousand strangers a newcomer waited 4 s to be accepted.
 */
export const strangersTurnMs = 1
export const strangersReadBytes = 1024

/** Bytes of such a connection that are read before what others say: as many as the preface and the first request of any client. */
export const strangersFreshBytes = 8192

/** Milliseconds of each turn of the event loop in which handshakes of TLS are begun, one at least: each takes about one. By the clock, as above. */
export const handshakesTurnMs = 2

/**
 * Turns of the event loop between two in which handshakes are begun: in each, node accepts one connection of those that wait in a row in the system. Only
 * once they are accepted have addresses their turns; while as many were accepted as had handshakes, clients that came again and again kept a newcomer
 * waiting for 1.4 s.
 */
export const handshakesTurnsBetween = 3

/** Lines about connections that were ended or not taken, that the log gets at once and a second. */
export const warningsBurst = 10
export const warningsPerSecond = 1

/** Milliseconds from accepting a connection to the end of its TLS handshake. */
export const tlsHandshakeTimeoutMs = 10_000

/**
 * Addresses of all subsets of an Endpoints object once it is in canonical form, where an address is repeated for each set of ports that differs; beyond
 * it 422. The largest object that a store takes has fewer, and so have 5,000 endpoints with fifty different sets of ports.
 */
export const repackedAddressesMax = 300_000

/** Evictions that a disruption budget may have open, without its controller having seen the pods go; kube-apiserver 1.30. */
export const disruptedPodsMax = 2000

/** Attempts to evict a pod that keeps changing and that no budget protects; kube-apiserver 1.30. */
export const evictionTries = 20

/** Steps of one field that a list is sorted or selected by. */
export const fieldReferenceStepsMax = 32

/**
 * Requirements of one label or field selector, and values of a label selector altogether; beyond it 400. Reading them takes a microsecond each;
 * what an object costs does not grow with them. The longest real ones select some hundred objects by their names, `x in (...)`.
 */
export const selectorRequirementsMax = 1000
export const selectorValuesMax = 10_000

/** Requirements of one extended field selector: each is asked of every object. */
export const fieldRequirementsMax = 100

/** Fields that one list is sorted by. */
export const sortFieldsMax = 4

/** Objects that are held at once to put them in order. A page never has more; a list without `limit` that matches more is refused with the advice to page. */
export const sortedObjectsMax = 100_000

/**
 * Work that one request does before the others get their turn of the event loop, in microseconds that it takes on the project's machine, about; see
 * `turns.ts`.
 */
export const turnWorkMax = 5000

/**
 * Work of telling one commit's events to watchers before others get their turn of the event loop, in the same measure: some thousand watchers are told at
 * once, which keeps their lag short; the rest is told in turns of `turnWorkMax`.
 */
export const fanOutWorkMax = 10_000

/**
 * Labels and fields of one resource by which lists select and that have an index at a time; the one asked for longest ago goes first. The largest real use
 * has two or three: a node's pods, an application's. An index holds 8 bytes and a little for each object, and a write reads what is indexed.
 */
export const selectedNamesMax = 8

/**
 * Bytes of a body, or of an object, from which on it is read, patched and written in turns, and read one at a time: smaller ones take less than 20 ms
 * in all, each stage of the smallest large one a few milliseconds.
 */
export const largeObjectBytes = 64 * 1024

/**
 * Steps that the rules of a schema may take on one object: items of long lists that macros and `in` go through, each time. Two lists of a thousand items may
 * be compared with each other; the rules of a pod with a hundred containers take some hundred. CEL in the reference has a budget likewise.
 */
export const ruleStepsMax = 1_000_000

/** Fields of an apply's conflicts that an answer names, of at most `messageCharactersMax` characters each; the others are counted. */
export const conflictCausesMax = 500

/**
 * Owners of the fields of one object, who have an entry of `metadata.managedFields` each; beyond it 422. The reference bounds updaters alone; objects
 * with some dozen appliers are rare.
 */
export const managersMax = 1000

/** Updaters that the owners of one object may be; beyond it the oldest are put together. kube-apiserver 1.30. */
export const updatersMax = 10

/** Characters of the schedule of a CronJob: every minute of an hour, written out in each of its five fields, takes 600. */
export const scheduleCharactersMax = 4096

/** Bytes of all annotation keys and values of one object; the limit itself is accepted. */
export const annotationsBytesMax = 256 * 1024

/** Bytes of the name of who writes: of the `fieldManager` parameter, and of what is taken from the User-Agent. */
export const managerBytesMax = 128

/** Milliseconds until a connection to a pod, service or node behind a proxy path has to stand; the reference's 30 seconds. */
export const proxyDialTimeoutMs = 30_000

/**
 * Pods that one request through a service's proxy looks at for one that says the address of an endpoint is its own; then 503. Of endpoints that are
 * kept well the first does.
 */
export const endpointPodsMax = 100

/**
 * Milliseconds until the machine behind a proxy path, or a node agent, has to begin its answer, once it has taken the request; then 504. Answers
 * themselves may take as long as they want. The reference waits for ever; long polls take minutes.
 */
export const proxyAnswerTimeoutMs = 600_000

/** Informational answers (1xx) before the answer to one proxied request: one each second for as long as that may take is more than anybody sends. */
export const informationalAnswersMax = 600

/** Bytes of the head of an answer that is passed on, and of its trailers; as of requests. The largest real ones hold cookies and policies: some 10 KB. */
export const answerHeaderBytesMax = 256 * 1024

/** Header fields of an answer that is passed on; as many and more are 502. As of requests. */
export const answerHeaderFieldsMax = 2000

/** Characters of a proxy path, up to `proxy`, that links are made to lead through: the longest real one has some 450. Longer ones would multiply a page. */
export const linkPrefixCharactersMax = 1024

/** Bytes of a node agent's refusal that are read for the message of the Status; the reference's number. */
export const refusalBytesMax = 50_000

/** Milliseconds that the body of a node agent's refusal may take; the reference's number. */
export const refusalTimeoutMs = 10_000

/** Milliseconds without a byte in either direction until a tunnel is closed, twice as many at most; the reference's node agent ends them then. */
export const tunnelIdleTimeoutMs = 4 * 3600 * 1000

/** Milliseconds for which the addresses of this machine are believed before they are asked for again: they come and go while the server runs. */
export const ownAddressesMs = 1000

/** Milliseconds of silence until TCP asks whether the other end of a proxied connection is still there. */
export const tcpKeepAliveMs = 30_000

/**
 * Bytes of one link in a tag of an HTML page that are held back until all of it is here; a longer one passes unchanged, and so does what else is in
 * the page at once. Links to paths have some hundred bytes; those with the data in them are long and are never rewritten.
 */
export const htmlTagBytesMax = 64 * 1024

/** Namespaces in which the garbage collector looks for an owner that is not in its dependent's own, only to tell people of it. */
export const namespacesSearchedMax = 1000

/** Uids of owners that the garbage collector remembers to have looked for in vain. */
export const uidsRememberedMax = 10_000

/** Path elements of fields that are kept made, of names of 64 characters at most; when there are more, all are forgotten. */
export const fieldElementsMax = 4096

/** Quantities of 16 characters at most that are kept as they were read; when there are more, all are forgotten. */
export const knownQuantitiesMax = 1024

/** Path elements of list items that are kept for each keyed list, of keys of 64 characters at most; after 16 times as many misses all are forgotten. */
export const itemElementsMax = 256

/** Sets of owned fields that are kept by their text, each of `sharedSetCharactersMax` at most; when there are more, all are forgotten. */
export const sharedSetsMax = 512

/** Characters of a set of owned fields that is kept for other objects: a pod with three containers has about 3,000. */
export const sharedSetCharactersMax = 8192

/** Milliseconds that the event loop may be held, by one request for example, until the log says so: everybody waits meanwhile. */
export const loopHoldMs = 100

/** Milliseconds between two looks at whether the event loop still turns, and between two samples of how late it is. */
export const loopBeatMs = 50
export const loopDelayResolutionMs = 20

/** Stored values of one resource that are remembered as unreadable; more are found again each time they are read. */
export const undecodableNamedMax = 100

/** Milliseconds for which the answer of the store to a health check is remembered. */
export const healthRememberedMs = 100

/** Kinds whose caches are filled at a time when the server starts. */
export const fillsAtOnce = 4
