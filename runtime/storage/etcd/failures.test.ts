import { status } from "@grpc/grpc-js"
import { describe, expect, it } from "vitest"
import { storeErrorOf } from "./failures.ts"

describe("the words of an etcd that is not there", () => {
  it("are those of the connection, without remarks that say nothing", () => {
    const details = "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: "
    const { code, message } = storeErrorOf({ code: status.UNAVAILABLE, details })
    expect(code).toBe("unavailable")
    expect(message).toBe("etcd: No connection established. Last error: connect ECONNREFUSED 127.0.0.1:2379")
  })

  it("keep a remark that says something", () => {
    const details = "No connection established. Last error: null. Resolution note: Name resolution failed for target dns:nowhere"
    expect(storeErrorOf({ code: status.UNAVAILABLE, details }).message).toContain("Name resolution failed for target dns:nowhere")
  })

  it("are the status where there are none", () => {
    expect(storeErrorOf({ code: status.UNKNOWN, details: "" }).message).toBe("etcd: status 2")
  })
})
