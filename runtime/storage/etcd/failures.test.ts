import { status } from "@grpc/grpc-js"
import { describe, expect, it } from "vitest"
import { storeErrorOf } from "./failures.ts"

describe("the words of an etcd that is not there", () => {
  it("are those of the connection, without remarks that say nothing", () => {
    const details = "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: "
    const { code, message } = storeErrorOf({ code: status.UNAVAILABLE, details })
    expect(code).toBe("unavailable")
    expect(message).toBe("no etcd server could be reached: connect ECONNREFUSED 127.0.0.1:2379")
  })

  it("keep a remark that says something", () => {
    const details = "No connection established. Last error: null. Resolution note: Name resolution failed for target dns:nowhere"
    expect(storeErrorOf({ code: status.UNAVAILABLE, details }).message).toContain("Name resolution failed for target dns:nowhere")
  })

  it("are the status where there are none", () => {
    expect(storeErrorOf({ code: status.UNKNOWN, details: "" }).message).toBe("etcd: status 2")
  })
})

describe("faults that have words of their own", () => {
  it.each([
    ["etcdserver: mvcc: database space exceeded", "full", /alarm NOSPACE.+disarm the alarm/],
    ["etcdserver: corrupt cluster", "full", /alarm CORRUPT.+disarm the alarm/],
    ["etcdserver: no leader", "unavailable", /no leader: more than half of its members must be running/],
    ["Connection dropped", "unavailable", /connection to etcd was lost/],
    ["etcdserver: leader changed", "unavailable", /another leader/],
    // It was proposed, and a leader to come may do it.
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
