/** Connections of HTTP/2 end after a request without a user. */
import { once } from "node:events"
import { connect } from "node:http2"
import { Agent, get } from "node:https"
import { expect, onTestFinished, test } from "vitest"
import { type AuthenticationServer, startServerWith, testFolder } from "./server.ts"

const implementations = ["own", "node"] as const
const asBob = { authorization: "Bearer bob-token" }
const asNobody = { authorization: "Bearer nonsense" }
const stays = "stays"
const ends = "ends"

const start = (options: Parameters<typeof startServerWith>[0]) =>
  startServerWith({ "token-auth-file": testFolder()("tokens.csv", "bob-token,bob,bob-uid\n"), "authorization-mode": ["RBAC"], ...options })

/** The status of a request on a connection of its own, and whether the server ended the connection after it. */
async function askOnce({ port, authority }: AuthenticationServer, path: string, headers: Record<string, string> = {}): Promise<string> {
  const session = connect(`https://127.0.0.1:${port}`, { ca: authority })
  onTestFinished(() => session.destroy())
  let went = stays
  session.on("goaway", (code) => {
    went = code === 0 ? ends : `ends with code ${code}`
  })
  const stream = session.request({ ":path": path, ...headers }).resume()
  const [head] = await once(stream, "response")
  await once(stream, "close")
  // The server's answer to a ping comes after everything that it has sent before.
  if (!session.closed && !session.destroyed) await new Promise((resolve) => session.ping(resolve) || resolve(undefined))
  return `${head[":status"]}, ${went}`
}

test.each(implementations)("a connection ends after a request without a user (%s)", async (implementation) => {
  const server = await start({ "http2-implementation": implementation })
  expect(await askOnce(server, "/version", asBob)).toBe(`200, ${stays}`)
  expect(await askOnce(server, "/version", asNobody)).toBe(`401, ${ends}`)
  expect(await askOnce(server, "/version")).toBe(`200, ${ends}`)
  expect(await askOnce(server, "/api/v1/pods")).toBe(`403, ${ends}`)
})

test("HTTP/1.1 is not affected, and the gate turns it off", async () => {
  const server = await start({ "feature-gates": { UnauthenticatedHTTP2DOSMitigation: false } })
  expect(await askOnce(server, "/version", asNobody)).toBe(`401, ${stays}`)
  expect(await askOnce(server, "/version")).toBe(`200, ${stays}`)
  const { port, authority: ca } = await start({})
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const sockets = new Set<unknown>()
  for (const headers of [asNobody, {}, asBob]) {
    const request = get({ host: "127.0.0.1", port, ca, agent, path: "/version", headers })
    const [answer] = await once(request, "response")
    sockets.add(answer.socket)
    expect(answer.headers.connection).toBe("keep-alive")
    await once(answer.resume(), "end")
  }
  expect(sockets.size).toBe(1)
})
