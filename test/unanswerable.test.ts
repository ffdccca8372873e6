/** An error without a possible response ends its request, and nothing else. */
import { expect, it, onTestFinished, vi } from "vitest"
import { createHttpClient } from "./support/http-client.ts"
import { startInProcess } from "./support/in-process.ts"

it.each(["http1", "http2"] as const)("ends only the request over %s", async (protocol) => {
  const at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  onTestFinished(at.stop)
  const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
  onTestFinished(() => client.close())
  const ask = (path: string) => client.send({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })
  // The thrown value is not a known error, and the log that should report it fails too.
  const find = vi.spyOn(at.server.parts.kinds, "find").mockImplementationOnce(() => {
    throw new Error("planted")
  })
  const error = vi.spyOn(at.server.parts.log, "error").mockImplementationOnce(() => {
    throw new Error("and nobody can be told")
  })
  await expect(ask("/api/v1/pods")).rejects.toThrow()
  find.mockRestore()
  error.mockRestore()
  expect(at.log.join("")).toContain("an error could not be answered; its request is broken off")
  expect((await ask("/api/v1/pods")).status).toBe(200)
})
