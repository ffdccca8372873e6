/**
 * The WebSocket of browsers, as built into node. It cannot set headers, so its token is among the protocols. Runs in a
 * child process, since node 20 needs a flag.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { startTestServer } from "../support/server.ts"
import { runCommand } from "./command.ts"

const program = `
const [url, token] = process.argv.slice(1)
const protocols = ["v1.watch", "base64url.bearer.authorization.k8s.io." + Buffer.from(token).toString("base64url")]
const socket = new WebSocket(url, protocols)
socket.onerror = ({ message }) => console.log(JSON.stringify({ error: message }))
socket.onmessage = ({ data }) => {
  const { type, object } = JSON.parse(data)
  console.log(JSON.stringify({ protocol: socket.protocol, type, name: object.metadata.name }))
  socket.close(1000)
}
socket.onclose = ({ code, wasClean }) => console.log(JSON.stringify({ code, wasClean }))
`

it("a browser's WebSocket watches with its token among the protocols", async () => {
  const server = await startTestServer({ vendor: "kubernetes" })
  await server.request("POST", "/api/v1/namespaces/default/configmaps", "{metadata: {name: a}}")
  const dir = await mkdtemp(join(tmpdir(), "built-in-websocket-"))
  onTestFinished(() => rm(dir, { recursive: true }))
  const authority = join(dir, "ca.crt")
  await writeFile(authority, server.caPem)
  const url = `${server.url.replace("https:", "wss:")}/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Da`
  const { stdout } = await runCommand(process.execPath, ["--experimental-websocket", "-e", program, url, server.token], {
    env: { NODE_EXTRA_CA_CERTS: authority, NODE_NO_WARNINGS: "1" },
  })
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { protocol: "v1.watch", type: "ADDED", name: "a" },
    { code: 1000, wasClean: true },
  ])
})
