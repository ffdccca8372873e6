/** Starts the package's library entry, for tests of options: one server per test, stopped after the test. */
import { onTestFinished } from "vitest"
import { type LibraryOptions, type LibraryServer, startServer } from "../../runtime/library.ts"
import { createHttpClient, type HttpAnswer } from "./http-client.ts"

export interface TestServer extends LibraryServer {
  /** Sends a request as the administrator. `body` is sent as YAML, which includes JSON, unless its type is given. */
  request(method: string, path: string, body?: string, contentType?: string): Promise<HttpAnswer>
}

/** Called within a test. Without options: in memory, on a free port. */
export async function startTestServer(options: LibraryOptions = {}): Promise<TestServer> {
  const server = await startServer(options)
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  onTestFinished(async () => {
    client.close()
    await server.stop()
  })
  return {
    ...server,
    request: (method, path, body, contentType = "application/yaml") =>
      client.send({
        method,
        path,
        headers: { authorization: `Bearer ${server.token}`, ...(body !== undefined && { "content-type": contentType }) },
        ...(body !== undefined && { body: Buffer.from(body) }),
      }),
  }
}
