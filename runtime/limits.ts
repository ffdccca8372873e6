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

/** Values that the aliases of one YAML document may stand for altogether; a document of aliases to aliases grows without bound. */
export const yamlAliasValuesMax = 100_000

/** Unknown and duplicate fields that are named in one answer; the reference names as many. */
export const strictErrorsMax = 100

/** Characters of a message about one field: names and values in it come from the client. */
export const messageCharactersMax = 1024

/** Characters of all `Warning` headers of an answer; beyond it each is cut to `warningCharactersMax`. The reference's numbers. */
export const warningsCharactersMax = 4096
export const warningCharactersMax = 256

/** Answers smaller than this are not compressed; the reference's `defaultGzipThresholdBytes`. */
export const gzipThresholdBytes = 128 * 1024

/** Bytes gathered before a list is written to the connection. Measured: 64 KiB costs 1.6 times the CPU, more gains nothing. */
export const listWriteBytes = 256 * 1024

/** Characters of a rejected body that an error message shows. */
export const shownBodyCharactersMax = 30

/**
 * Memory of one HTTP/2 connection in MB, node's `maxSessionMemory` (default 10). A connection that is over it refuses
 * new streams with ENHANCE_YOUR_CALM, so it must hold one write of every stream that the connection may have open.
 */
export const http2SessionMemoryMb = 100

/** Names drawn for `generateName` before a collision is the client's to solve; kube-apiserver 1.30. */
export const generatedNameTries = 8

/** Attempts of one update or delete whose client pinned no version, before it gets a 409. */
export const conflictRetries = 20

/** How long a read waits for a version that the cache has not reached, in milliseconds; then 504. kube-apiserver 1.30. */
export const staleReadTimeoutMs = 3000

/** Bytes that may wait for one slow watcher; beyond it the stream is ended and the client resumes from its last event. */
export const watchQueueBytesMax = 8 * 1024 * 1024

/** Bytes of all header fields of one request; node's default for HTTP/1.1. */
export const requestHeaderBytesMax = 16 * 1024

/** Milliseconds from accepting a connection to the end of its TLS handshake. */
export const tlsHandshakeTimeoutMs = 10_000

/** Streams that one HTTP/2 connection may have open unless `--http2-max-streams-per-connection` says otherwise; the reference's default. */
export const http2StreamsMax = 250

/** Milliseconds between two looks at whether the client of an HTTP/2 connection is still there; three in vain end it. */
export const http2CheckIntervalMs = 20_000
