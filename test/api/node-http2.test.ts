import { apiSuite } from "./harness/suite.ts"

/** The areas in which it matters how a request is carried. All others pass as well. */
const areas = ["bodies", "media", "paging", "patch", "subresources", "watch"]

apiSuite({ store: "memory", protocol: "http2", vendor: "orch", http2: "node", areas })
