/** For readers of bodies, which know no protocol: the buffer that HTTP/2 gathers bodies in. */
export { GatheredBytes } from "../http2/gathered-bytes.ts"
