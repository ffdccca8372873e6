import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { createHttpClient, type HttpClient } from "../../test/support/http-client.ts"
import { type InProcess, plainToken, startInProcess } from "../../test/support/in-process.ts"

let at: InProcess
let client: HttpClient

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes", verbosity: 4 })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
})
afterAll(async () => {
  client.close()
  await at.stop()
})

async function lineOf(path: string): Promise<string> {
  const before = at.log.length
  await client.send({ method: "GET", path, headers: { authorization: `Bearer ${plainToken}` } })
  return vi.waitFor(() => {
    const found = at.log.slice(before).find((line) => line.includes(" HTTP "))
    if (found === undefined) throw new Error("no line yet")
    return found
  })
}

test("a line for each request says who asked for what, without the query and header fields", async () => {
  expect(await lineOf("/api/v1/namespaces/default/pods/p?token=very-secret")).toMatch(
    / DEBUG HTTP verb=get path=\/api\/v1\/namespaces\/default\/pods\/p user=plain code=404 milliseconds=[0-9.]+\n$/,
  )
  expect(await lineOf("/readyz?verbose&token=very-secret")).toMatch(/ path=\/readyz user=plain code=\d+ /)
  expect(await lineOf(`/${"a".repeat(2000)}`)).toMatch(/ path=\/a{511} user=plain code=404 /)
  expect(at.log.join("")).not.toMatch(/very-secret/)
  expect(at.log.join("")).not.toContain(plainToken)
})
