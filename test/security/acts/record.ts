/**
 * Compares the table of acts with another server, or records it. This program is the server's authorization web hook,
 * and records its questions. The server takes `--authorization-mode=Webhook` with the file that is written first, and
 * `--authorization-webhook-cache-authorized-ttl=0s --authorization-webhook-cache-unauthorized-ttl=0s`.
 *
 *     node --import tsx test/security/acts/record.ts PORT ADMIN-TOKEN USER-TOKEN HOOK-PORT KUBECONFIG [--write]
 *
 * Then denies each question once, which must end the act with 403.
 */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createHttpClient, readAll } from "../../support/http-client.ts"
import { type Act, isReviewed } from "./acts.ts"
import { perform, prepareActs } from "./perform.ts"
import { actor, type Asked, askedText, differences, readTable, type Table, writeTable } from "./table.ts"

// The server is a throw-away one on loopback with a certificate of its own.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"

const [port = "", adminToken = "", userToken = "", hookPort = "", kubeconfig = ""] = process.argv.slice(2)
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "hook", cluster: { server: `http://127.0.0.1:${hookPort}/` } }],
    users: [{ name: "server", user: {} }],
    contexts: [{ name: "hook", context: { cluster: "hook", user: "server" } }],
    "current-context": "hook",
  }),
)

let asked: Asked[] = []
let isDenied: (asked: Asked) => boolean = () => false
const hook = createServer((request, response) => {
  void readAll(request).then((body) => {
    const review = JSON.parse(body.toString())
    const { user, resourceAttributes: about } = review.spec
    const { group = "", version = "", resource = "", subresource = "", namespace = "", name = "", verb = "" } = about ?? {}
    const question = { user, verb, group, version, resource, subresource, namespace, name }
    const counts = user === actor || user === "bob"
    if (counts) asked.push(question)
    const denied = counts && isDenied(question)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, status: { allowed: !denied, denied } }))
  })
})
await new Promise<void>((resolve) => hook.listen(Number(hookPort), "127.0.0.1", resolve))

const client = createHttpClient({ protocol: "http2", port: Number(port), authority: "" })
while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 500))

async function isReady(): Promise<boolean> {
  try {
    return (await client.send({ method: "GET", path: "/readyz", headers: { authorization: `Bearer ${adminToken}` } })).status === 200
  } catch {
    return false
  }
}

const found: Table = new Map()
const unheld: string[] = []
const acts = await prepareActs(client, adminToken)
for (const act of acts) {
  const questions = await askedFor(act)
  const ways = found.get(act.of) ?? new Map<string, readonly string[]>()
  found.set(act.of, ways)
  ways.set(
    act.way,
    questions.map((question) => askedText(act, question)),
  )
  for (const [index, { user, verb, resource }] of questions.entries()) {
    if (isReviewed(act, index)) continue
    isDenied = (one) => one.user === user && one.verb === verb && one.resource === resource
    const { status } = await perform(client, act, userToken)
    if (status !== 403) unheld.push(`${act.way} ${act.of} without ${verb} ${resource}: ${status}`)
    isDenied = () => false
  }
}

async function askedFor(act: Act): Promise<readonly Asked[]> {
  asked = []
  await perform(client, act, userToken)
  return [...asked]
}

if (process.argv.includes("--write")) writeTable(found)
for (const line of differences(found, readTable())) console.log(line)
for (const line of unheld) console.log(line)
console.log(`${acts.length} acts on ${found.size} resources`)
client.close()
hook.close()
