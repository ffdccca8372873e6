import { apiSuite } from "./harness/suite.ts"

apiSuite({ store: "lmdb", protocol: "http2", vendor: "kubernetes" })
