import { apiSuite } from "./harness/suite.ts"

apiSuite({ store: "memory", protocol: "http2", vendor: "orch", http2: "node" })
