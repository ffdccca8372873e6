import { status } from "@grpc/grpc-js"
import { describe, expect, it } from "vitest"
import { storeErrorOf } from "./failures.ts"

describe("the message for an unreachable etcd", () => {
  it("is that of the connection, without empty remarks", () => {
    const details = "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: "
    const { code, message } = storeErrorOf({ code: status.UNAVAILABLE, details })
    expect(code).toBe("unavailable")
    expect(message).toBe("no etcd server could be reached: connect ECONNREFUSED 127.0.0.1:2379")
  })

  it("keeps a remark with content", () => {
    const details = "No connection established. Last error: null. Resolution note: Name resolution failed for target dns:nowhere"
    expect(storeErrorOf({ code: status.UNAVAILABLE, details }).message).toContain("Name resolution failed for target dns:nowhere")
  })

  it("is the status when there are no details", () => {
    expect(storeErrorOf({ code: status.UNKNOWN, details: "" }).message).toBe("etcd: status 2")
  })
})

describe("faults with messages of their own", () => {
  it.each([
    ["etcdserver: mvcc: database space exceeded", "full", /alarm NOSPACE.+disarm the alarm/],
    ["etcdserver: corrupt cluster", "full", /alarm CORRUPT.+disarm the alarm/],
    ["etcdserver: no leader", "unavailable", /no leader: more than half of its members must be running/],
    ["Connection dropped", "unavailable", /connection to etcd was lost/],
    ["etcdserver: leader changed", "unavailable", /another leader/],
    // It was proposed, and a later leader may still apply it.
    ["etcdserver: request timed out", "timeout", /could not agree in time: more than half/],
    ["etcdserver: request timed out, possibly due to previous leader failure", "timeout", /could not agree in time/],
    ["etcdserver: request is too large", "too-large", /--max-request-bytes/],
    ["etcdserver: too many operations in txn request", "too-large", /--max-txn-ops/],
  ])("%s", (details, code, message) => {
    const error = storeErrorOf({ code: status.UNAVAILABLE, details })
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })
})
