import { createServer } from "node:https"
import { createServer as createTcpServer, type Server } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createTestAuthority } from "../../test/support/certificates.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { componentProbeMs } from "../base/limits.ts"
import { componentChecks } from "./components.ts"

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has a port")
  return address.port
}

/** A program beside the server, with a certificate that the system does not trust. */
async function program(status: number, body: string): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = []
  const pair = await (await createTestAuthority("nobody")).issue()
  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status).end(body)
  })
  return { port: await listening(server), asked }
}

const clock = createManualClock()

function checkOf(port: number, on = clock): () => Promise<string | undefined> {
  const [found] = componentChecks([], on, { scheduler: port })
  if (found === undefined) throw new Error("there is a check")
  return found.check
}

test("a program that answers is healthy; its certificate is not checked", async () => {
  const { port, asked } = await program(200, "ok")
  expect(await checkOf(port)()).toBeUndefined()
  expect(asked).toEqual(["GET /healthz"])
})

test("a program that says so is not healthy", async () => {
  const { port } = await program(500, "x".repeat(1_000_000))
  expect(await checkOf(port)()).toBe("HTTP probe failed with statuscode: 500")
})

test("a port that nothing listens on is named", async () => {
  const server = createTcpServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  expect(await checkOf(port)()).toBe(`Get "https://127.0.0.1:${port}/healthz": connect ECONNREFUSED 127.0.0.1:${port}`)
})

test("a program that accepts and says nothing is waited for until the deadline", async () => {
  const server = createTcpServer()
  const accepted = new Promise<void>((resolve) =>
    server.on("connection", (socket) => {
      closing.push(() => socket.destroy())
      resolve()
    }),
  )
  const port = await listening(server)
  const own = createManualClock()
  const checked = checkOf(port, own)()
  await accepted
  own.advance(componentProbeMs)
  expect(await checked).toBe(`Get "https://127.0.0.1:${port}/healthz": no answer within ${componentProbeMs} ms`)
})

test("a program that hangs up is not healthy", async () => {
  const server = createTcpServer((socket) => socket.destroy())
  expect(await checkOf(await listening(server))()).toMatch(/^Get "https:.*": .+/)
})

test("requests at the same time ask a program once", async () => {
  const { port, asked } = await program(200, "ok")
  const check = checkOf(port)
  await Promise.all([check(), check(), check()])
  expect(asked).toHaveLength(1)
})

test("stores are numbered", async () => {
  const checks = componentChecks(
    [
      { name: "a", check: async () => undefined },
      { name: "b", check: async () => "full" },
    ],
    clock,
    {},
  )
  expect(checks.map(({ name }) => name)).toEqual(["etcd-0", "etcd-1"])
  expect(await checks[1]?.check()).toBe("full")
})
