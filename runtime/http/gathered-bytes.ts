/** The buffer in which HTTP/2 gathers bodies, for body readers that do not depend on a protocol. */
export { GatheredBytes } from "../http2/gathered-bytes.ts"
