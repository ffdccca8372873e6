import { apiSuite } from "./harness/suite.ts"

apiSuite({ store: "memory", protocol: "http1", vendor: "orch" })
