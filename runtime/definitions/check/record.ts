/**
 * Records the reference's answers to the tables of definitions: from a server at REFERENCE_URL with the gate
 * CustomResourceFieldSelectors, with the token REFERENCE_TOKEN and its store at REFERENCE_ETCD. Run with `node --import
 * tsx runtime/definitions/check/record.ts [TOPIC ...]` and NODE_TLS_REJECT_UNAUTHORIZED=0.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { stringify } from "yaml"
import { isObject, type JsonObject } from "../../base/json.ts"
import { answersFile, casesOf, type Cause, type DefinitionCase, definitionOf, storedDefinition, topics } from "./definition-cases.ts"

const { REFERENCE_URL = "", REFERENCE_TOKEN = "", REFERENCE_ETCD = "" } = process.env
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

async function ask(method: string, resource: string, body?: JsonObject): Promise<{ status: number; answer: JsonObject }> {
  const headers = { authorization: `Bearer ${REFERENCE_TOKEN}`, "content-type": "application/json" }
  const response = await fetch(REFERENCE_URL + path + resource, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer: unknown = await response.json()
  return { status: response.status, answer: isObject(answer) ? answer : {} }
}

function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) && typeof metadata.name === "string" ? metadata.name : ""
}

async function answerTo(one: DefinitionCase): Promise<Cause[]> {
  const definition = definitionOf(one)
  if (one.old === undefined) return causes(await ask("POST", "?dryRun=All", definition))
  const stored = storedDefinition(one)
  const name = nameOf(stored)
  await store(name, stored)
  let answer = await replace(name, definition)
  // The reference's controllers write the status meanwhile.
  while (answer.status === 409) answer = await replace(name, definition)
  await unstore(name)
  return causes(answer)
}

async function replace(name: string, definition: JsonObject): Promise<{ status: number; answer: JsonObject }> {
  const current = await untilRead(name)
  const { resourceVersion } = isObject(current.metadata) ? current.metadata : {}
  const metadata = { ...(isObject(definition.metadata) ? definition.metadata : {}), name, resourceVersion }
  return ask("PUT", `/${name}?dryRun=All`, { ...definition, metadata })
}

function causes({ status, answer }: { status: number; answer: JsonObject }): Cause[] {
  if (status < 300) return []
  const list = isObject(answer.details) ? answer.details.causes : undefined
  if (!Array.isArray(list)) throw new Error(`no causes: ${status} ${JSON.stringify(answer)}`)
  return list.filter(isObject).map((cause) => ({
    reason: String(cause.reason),
    field: String(cause.field),
    message: String(cause.message),
  }))
}

async function etcd(call: string, body: JsonObject): Promise<void> {
  const response = await fetch(`${REFERENCE_ETCD}/v3/kv/${call}`, { method: "POST", body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
}

function keyOf(name: string): string {
  return Buffer.from(`/registry/apiextensions.k8s.io/customresourcedefinitions/${name}`).toString("base64")
}

async function store(name: string, definition: JsonObject): Promise<void> {
  const meta = isObject(definition.metadata) ? definition.metadata : {}
  const uid = "00000000-0000-4000-8000-000000000000"
  const metadata = { ...meta, uid, generation: 1, creationTimestamp: "2024-01-01T00:00:00Z" }
  await etcd("put", { key: keyOf(name), value: Buffer.from(JSON.stringify({ ...definition, metadata })).toString("base64") })
}

async function unstore(name: string): Promise<void> {
  await etcd("deleterange", { key: keyOf(name) })
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await ask("GET", `/${name}?resourceVersion=0`)
    if (status === 404) return
    await wait(20)
  }
}

async function untilRead(name: string): Promise<JsonObject> {
  for (let tries = 0; tries < 100; tries++) {
    const { status, answer } = await ask("GET", `/${name}`)
    if (status === 200) return answer
    await wait(20)
  }
  throw new Error(`${name} is not readable`)
}

mkdirSync(new URL("./", answersFile("x")), { recursive: true })
const asked = process.argv.slice(2)
for (const topic of asked.length > 0 ? asked : topics) {
  const answers: Record<string, Cause[]> = {}
  for (const one of casesOf(topic)) {
    if (one.name in answers) throw new Error(`${topic}: two cases are named ${one.name}`)
    answers[one.name] = await answerTo(one).catch((error: unknown) => {
      console.log(`${topic}: ${one.name}: ${String(error)}`)
      return [{ reason: "?", field: "?", message: String(error) }]
    })
  }
  writeFileSync(answersFile(topic), `# Recorded from the reference, release 1.30.\n${stringify(answers, { lineWidth: 0 })}`)
}
