/**
 * Every kind with everything set and with the least, each required field missing, each enumeration and bound broken,
 * each immutable field changed; defaults, columns, sub-resources. The data is in `kinds/matrix`, written from the
 * catalog of the built-in API; `test/catalog/matrix.test.ts` says whether it is complete.
 */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createHttpClient } from "../support/http-client.ts"
import { type InProcess, startInProcess } from "../support/in-process.ts"
import { loadMatrix } from "./harness/matrix.ts"
import { MatrixRun, namespace } from "./harness/matrix-run.ts"

const matrix = loadMatrix(join(import.meta.dirname, "kinds", "matrix"))
let server: InProcess
let run: MatrixRun
let close: () => void

beforeAll(async () => {
  server = await startInProcess({ store: "memory", vendor: "orch" })
  const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
  close = client.close
  run = new MatrixRun(matrix, { at: server, client })
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }
  expect(await run.send({ method: "POST", path: "/api/v1/namespaces", body })).toMatchObject({ status: 201 })
})

afterAll(async () => {
  close()
  await server.stop()
})

describe.each(matrix.kinds)("$name", (kind) => {
  it("fills in what a client leaves out, and accepts the ends of ranges", async () => {
    expect(await run.accepted(kind)).toEqual([])
  })

  it("refuses what is missing or out of range", async () => {
    expect(await run.refused(kind)).toEqual([])
  })

  if (kind.stored) {
    it("is created with the least and with everything set", async () => {
      expect(await run.objects(kind)).toEqual([])
    })

    it("refuses to change what is immutable, and changes what is not", async () => {
      expect(await run.changes(kind)).toEqual([])
      if (kind.changes.length > 0) expect(kind.changes.map(({ outcome }) => outcome)).toContain("done")
    })

    it("takes its status through the sub-resource", async () => {
      expect(await run.status(kind)).toEqual([])
    })

    it("has its columns", async () => {
      expect(await run.table(kind)).toEqual([])
    })
  }

  it("has its sub-resources", async () => {
    expect(await run.subresources(kind)).toEqual([])
  })
})

describe.each(matrix.shared)("$name", (part) => {
  // Some hundred requests each, on a machine that may be busy.
  it("is filled in and checked wherever it stands", { timeout: 120_000 }, async () => {
    expect([...(await run.accepted(part)), ...(await run.refused(part))]).toEqual([])
  })
})
