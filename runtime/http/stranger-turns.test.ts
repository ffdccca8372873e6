import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { strangersFreshBytes, strangersReadBytes } from "../base/limits.ts"
import { type Account, KeptBytes } from "./kept-bytes.ts"
import { StrangerTurns } from "./stranger-turns.ts"

const owner = { remoteAddress: "a", remotePort: 1, userAgent: () => undefined, measure: () => 0, cut: () => undefined }

interface Guarded {
  readonly client: Socket
  readonly server: Socket
  readonly account: Account
}

/** A connection between two real sockets whose server end is guarded. `read` gets each piece that is read from it. */
async function guarded(turns: StrangerTurns, kept: KeptBytes, read: (chunk: Buffer, account: Account) => void): Promise<Guarded> {
  const listener = createServer().listen(0, "127.0.0.1")
  await once(listener, "listening")
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1") // A TCP server has one.
  const [server]: Socket[] = await once(listener, "connection")
  if (server === undefined) throw new Error("a connection has a socket")
  onTestFinished(() => {
    client.destroy()
    server.destroy()
    listener.close()
  })
  const account = kept.open(owner)
  server.on("data", (chunk: Buffer) => read(chunk, account))
  turns.guard(server, account)
  return { client, server, account }
}

const sent = Buffer.from(Array.from({ length: 300_000 }, (_none, index) => index % 251))

it("reads everything in order and in small pieces, and gives others turns meanwhile", async () => {
  const kept = new KeptBytes()
  const turns = new StrangerTurns()
  const read: Buffer[] = []
  let turnsOfOthers = 0
  let isOver = false
  const count = (): void => {
    turnsOfOthers++
    if (!isOver) setImmediate(count)
  }
  let largest = 0
  const whole = new Promise<void>((resolve) => {
    guarded(turns, kept, (chunk) => {
      read.push(chunk)
      largest = Math.max(largest, chunk.length)
      // Longer than the time that a turn allows.
      for (const untilMs = performance.now() + 6; performance.now() < untilMs; );
      if (read.reduce((sum, { length }) => sum + length, 0) === sent.length) resolve()
    }).then(({ client }) => client.write(sent))
  })
  count()
  await whole
  isOver = true
  expect(Buffer.concat(read).equals(sent)).toBe(true)
  expect(largest).toBeLessThanOrEqual(strangersReadBytes)
  // One piece per turn, and a turn of others between each two.
  expect(turnsOfOthers).toBeGreaterThanOrEqual(read.length - 1)
  expect(kept.bytes.strangers).toBe(0)
})

it("reads connections that send a little at the same moment in a turn each", async () => {
  const kept = new KeptBytes()
  const turns = new StrangerTurns()
  let turn = 0
  const readIn: number[] = []
  const connections: Guarded[] = []
  for (let index = 0; index < 10; index++) {
    connections.push(
      await guarded(turns, kept, () => {
        readIn.push(turn)
        for (const untilMs = performance.now() + 6; performance.now() < untilMs; );
      }),
    )
  }
  for (const { client } of connections) client.write("words")
  while (readIn.length < connections.length) {
    turn++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(new Set(readIn).size).toBeGreaterThanOrEqual(connections.length - 2)
})

it("reads connections that have sent little before those that have sent much", async () => {
  const kept = new KeptBytes()
  const turns = new StrangerTurns()
  const order: string[] = []
  const busy = await guarded(turns, kept, () => {
    order.push("busy")
    for (const untilMs = performance.now() + 6; performance.now() < untilMs; );
  })
  busy.client.write(sent)
  while (order.length <= strangersFreshBytes / strangersReadBytes) await new Promise((resolve) => setImmediate(resolve))
  const other = await guarded(turns, kept, () => order.push("other"))
  other.client.write(Buffer.alloc(4 * strangersReadBytes))
  const others = (): readonly string[] => order.slice(order.indexOf("other"), order.lastIndexOf("other") + 1)
  while (others().filter((who) => who === "other").length < 4) await new Promise((resolve) => setImmediate(resolve))
  expect(others()).toEqual(["other", "other", "other", "other"])
})

it("does not hold back an authenticated connection, nor one that another protocol has taken", async () => {
  const kept = new KeptBytes()
  const turns = new StrangerTurns()
  for (const how of ["known", "taken"] as const) {
    const read: Buffer[] = []
    const later: Buffer[] = []
    const { client, server } = await guarded(turns, kept, (chunk, account) => {
      read.push(chunk)
      if (read.length !== 2) return
      if (how === "known") account.identify("admin")
      else turns.release(server)
    })
    client.write(sent)
    while (read.length < 2) await new Promise((resolve) => setImmediate(resolve))
    if (how === "taken") server.on("data", (chunk: Buffer) => later.push(chunk)).resume()
    const all = (): Buffer => Buffer.concat([...read, ...later])
    while (all().length < sent.length) await new Promise((resolve) => setImmediate(resolve))
    expect(all().equals(sent)).toBe(true)
    expect([read.length > 2, later.length > 0]).toEqual(how === "known" ? [true, false] : [false, true])
    expect(kept.bytes.strangers).toBe(0)
  }
})

it("drops a closed connection from the row", async () => {
  const kept = new KeptBytes()
  const turns = new StrangerTurns()
  const busy = (): void => {
    for (const untilMs = performance.now() + 6; performance.now() < untilMs; );
  }
  const first = await guarded(turns, kept, () => {
    busy()
    first.server.destroy()
  })
  const others: Guarded[] = []
  for (let index = 0; index < 10; index++) others.push(await guarded(turns, kept, busy))
  first.client.write(sent)
  for (const { client } of others) client.write(sent)
  first.client.on("error", () => undefined)
  await once(first.server, "close")
  const waiting = others.filter(({ account }) => account.bytes > 0)
  expect(turns.waiting).toBe(waiting.length)
})

const bodyBytes = 20_000
/** A byte that no head contains. */
const bodySign = 0x7e

const stays = (): void => undefined
const authenticates = (account: Account): void => account.identify("admin")

it.each([
  { pieces: [2000], then: "stays a stranger", answering: stays },
  { pieces: [2000], then: "authenticates", answering: authenticates },
  // Writes alternate between more and less than one piece: answers wait when the smaller write arrives.
  { pieces: [45, 10], then: "stays a stranger", answering: stays },
  { pieces: [45, 10], then: "authenticates", answering: authenticates },
])(
  "gives all answers to an HTTP/1.1 client that sends $pieces requests at a time, reads nothing for a while and $then",
  async ({ pieces, answering }) => {
    const [turns, kept] = [new StrangerTurns(), new KeptBytes()]
    const asked = 2000
    let account: Account | undefined
    const server = createHttpServer((request, response) => {
      if (request.url === "/last" && account !== undefined) answering(account)
      response.end(Buffer.alloc(bodyBytes, bodySign))
    })
    server.on("connection", (socket) => {
      account = kept.open(owner)
      turns.guard(socket, account)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1") // A TCP server has one.
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    client.pause()
    let sent = 0
    for (let turn = 0; sent < asked; turn++) {
      const count = Math.min(pieces[turn % pieces.length] ?? 1, asked - sent)
      client.write(`GET ${sent + count > asked / 2 ? "/last" : "/"} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count))
      sent += count
      for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
    }
    let received = 0
    for await (const chunk of client) {
      for (const byte of chunk) if (byte === bodySign) received++
      if (received >= asked * bodyBytes) break
    }
    expect(received).toBe(asked * bodyBytes)
  },
)

it("leaves a connection that node paused to node to resume", async () => {
  const [turns, kept] = [new StrangerTurns(), new KeptBytes()]
  const read: number[] = []
  // Node's HTTP/1.1 server sets the field while answers wait.
  const { client, server } = await guarded(turns, kept, ({ length }) => {
    read.push(length)
    if (length === 1) Object.assign(server, { _paused: true })
  })
  client.write(Buffer.alloc(strangersReadBytes + 1))
  while (read.length < 2) await new Promise((resolve) => setImmediate(resolve))
  client.write(Buffer.alloc(2))
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
  expect(read).toEqual([strangersReadBytes, 1])
  Object.assign(server, { _paused: false })
  server.resume()
  while (read.length < 3) await new Promise((resolve) => setImmediate(resolve))
  expect(read).toEqual([strangersReadBytes, 1, 2])
})
