import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished } from "vitest"
import { endWithError, malformedError, type ParserFault } from "./malformed-request.ts"

async function answerTo(fault: Pick<ParserFault, "code" | "rawPacket">): Promise<string> {
  const server = createServer((socket) => endWithError(socket, malformedError(Object.assign(new Error("Parse Error"), fault))))
  onTestFinished(() => void server.close())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address() as AddressInfo // A listening TCP server has one.
  return text(connect(address.port, "127.0.0.1"))
}

it.each<[string, Pick<ParserFault, "code" | "rawPacket">, string, string]>([
  [
    "an unknown method",
    { code: "HPE_INVALID_METHOD", rawPacket: Buffer.from("FROB /api HTTP/1.1\r\nHost: a\r\n\r\n") },
    "405 Method Not Allowed",
    "MethodNotAllowed",
  ],
  ["bytes that are not a request", { code: "HPE_INVALID_METHOD", rawPacket: Buffer.from("\x16\x03\x01") }, "400 Bad Request", "BadRequest"],
  ["header fields without end", { code: "HPE_HEADER_OVERFLOW" }, "431 Request Header Fields Too Large", "RequestEntityTooLarge"],
  ["a request that never ends", { code: "ERR_HTTP_REQUEST_TIMEOUT" }, "408 Request Timeout", "Timeout"],
  ["anything else", {}, "400 Bad Request", "BadRequest"],
])("%s", async (_what, fault, statusLine, reason) => {
  const [head = "", body = ""] = (await answerTo(fault)).split("\r\n\r\n")
  expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${statusLine}`)
  expect(head).toContain("Connection: close")
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`)
  expect(JSON.parse(body)).toMatchObject({ kind: "Status", status: "Failure", reason, code: Number(statusLine.slice(0, 3)) })
})
