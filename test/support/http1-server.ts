/** The server's end of HTTP/1.1 connections without TLS, for tests of retained memory. */
import { once } from "node:events"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { expect, onTestFinished } from "vitest"
import { assert } from "../../runtime/base/assert.ts"
import { Http1Connection } from "../../runtime/http/http1-connection.ts"
import { http1Classes, type Http1Incoming, type Http1Outgoing } from "../../runtime/http/http1-exchange.ts"
import { KeptBytes } from "../../runtime/http/kept-bytes.ts"
import { timeLimits } from "../../runtime/http/time-limits.ts"

/** A request on the server, and its client, which reads nothing. */
export interface Asked {
  readonly connection: Http1Connection
  readonly request: Http1Incoming
  readonly response: Http1Outgoing
  readonly client: Socket
}

/**
 * Sends a request on a connection of its own, which closes after the test. Resolves when the server has received its
 * head.
 */
export async function askHttp1(request: string): Promise<Asked> {
  const server = createServer(http1Classes)
  let asked: Omit<Asked, "client"> | undefined
  server.on("connection", (socket: Socket) => {
    const connection = new Http1Connection(socket, { kept: new KeptBytes(), times: timeLimits })
    server.on("request", (request, response) => {
      connection.begin(request, response)
      asked = { connection, request, response }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  assert(address !== null && typeof address === "object", "it listens on TCP")
  const client = connect(address.port, "127.0.0.1").pause()
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write(request)
  await expect.poll(() => asked).toBeDefined()
  assert(asked !== undefined, "it was asked")
  return { ...asked, client }
}
