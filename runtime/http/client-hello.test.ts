import { once } from "node:events"
import { Duplex } from "node:stream"
import { connect, type ConnectionOptions } from "node:tls"
import { expect, it, test } from "vitest"
import { helloBytesMax, serverNameIn } from "./client-hello.ts"

/** The first message of a client of node. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const socket = new Duplex({ read() {}, write: (chunk, _encoding, written) => written(void sent.emit("data", chunk)) })
  const sent = new Duplex({ read() {} })
  const first = once(sent, "data")
  const client = connect({ socket, ...options }).on("error", () => undefined)
  const [hello] = await first
  client.destroy()
  return hello
}

/** The message of `hello` in records of `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

const named = await helloOf({ servername: "a.Example.org" })
const nameless = await helloOf({})

it.each([
  ["a name, in lower case", named, "a.example.org"],
  ["no name", nameless, ""],
  ["TLS 1.2", await helloOf({ servername: "old.example", maxVersion: "TLSv1.2" }), "old.example"],
  ["protocols", await helloOf({ servername: "b.example", ALPNProtocols: ["h2", "http/1.1"] }), "b.example"],
  ["what follows it", Buffer.concat([named, Buffer.from("more")]), "a.example.org"],
  ["several records", inRecords(named, 100), "a.example.org"],
  ["too many records", inRecords(named, 1), ""],
  ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n"), ""],
  ["a record that is no handshake", Buffer.from([23, 3, 1, 0, 1, 0]), ""],
  ["another message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]), ""],
  ["an empty message", Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0]), ""],
  ["a message that is too long", Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 1]), ""],
  ["a record that is too long", Buffer.from([22, 3, 1, 0x40, 0]), ""],
  ["empty records", Buffer.concat(new Array<Buffer>(100).fill(Buffer.from([22, 3, 1, 0, 0]))), ""],
])("reads %s", (_what, bytes, name) => {
  expect(serverNameIn(bytes)).toBe(name)
})

it("says how many bytes are needed at least", () => {
  for (let length = 0; length < named.length; length++) {
    const wanted = serverNameIn(named.subarray(0, length))
    expect(wanted).toBe(length < 5 ? 5 : named.length)
  }
  const parts = inRecords(named, 100)
  for (let length = 0; length < parts.length; length++) {
    const wanted = serverNameIn(parts.subarray(0, length))
    expect(wanted).toBeGreaterThan(length)
    expect(wanted).toBeLessThanOrEqual(parts.length)
  }
})

it.each(["with blank.example", "ü.example", "*.example", "a\0.example", ""])("takes the text %j for no name", (text) => {
  const at = named.indexOf("a.Example.org")
  const bytes = Buffer.from(named)
  bytes.write(text.padEnd(13, " "), at, 13, "latin1")
  expect(serverNameIn(bytes)).toBe("")
})

test("any change of any byte gives a name, none, or a number of bytes that may follow", () => {
  for (let at = 0; at < named.length; at++) {
    for (const value of [0, 1, 22, 127, 255]) {
      const bytes = Buffer.from(named)
      bytes[at] = value
      const found = serverNameIn(bytes)
      if (typeof found === "number") expect(found <= helloBytesMax && found > bytes.length).toBe(true)
      else expect(found).toMatch(/^[a-z0-9_.-]*$/)
    }
  }
})
