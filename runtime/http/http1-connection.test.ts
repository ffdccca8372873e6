import { expect, it } from "vitest"
import { askHttp1 } from "../../test/support/http1-server.ts"

it("counts what node has read ahead of a body until the body is read", async () => {
  const bytes = 2_000_000
  const { client, connection, request } = await askHttp1(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`)
  const { account } = connection
  account.measure()
  const before = account.bytes
  client.write(Buffer.alloc(bytes))
  await expect.poll(() => request.readableLength).toBeGreaterThan(10_000)
  account.measure()
  expect(account.bytes - before).toBe(request.readableLength)
  // Node reads ahead only one piece and the size of its buffers.
  expect(account.bytes - before).toBeLessThan(200_000)
  for await (const _ of request);
  account.measure()
  expect(account.bytes).toBe(before)
})
