import { expect, it } from "vitest"
import { askHttp1 } from "../../test/support/http1-server.ts"

it("counts what node has read of a body that nobody reads, until somebody does", async () => {
  const bytes = 2_000_000
  const { client, connection, request } = await askHttp1(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`)
  const { account } = connection
  account.measure()
  const before = account.bytes
  client.write(Buffer.alloc(bytes))
  await expect.poll(() => request.readableLength).toBeGreaterThan(10_000)
  account.measure()
  expect(account.bytes - before).toBe(request.readableLength)
  // As far as node reads ahead: one piece and what it has room for.
  expect(account.bytes - before).toBeLessThan(200_000)
  for await (const _ of request);
  account.measure()
  expect(account.bytes).toBe(before)
})
