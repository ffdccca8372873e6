/**
 * Records the reference's answers to `cases/evaluation.yaml`: like `check/record.ts`, with REFERENCE_URL and
 * REFERENCE_TOKEN. Makes a definition for each case and deletes it afterwards.
 */
import { writeFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { stringify } from "yaml"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { answersFile, objectOf, type RuleAnswer, type RuleCase, ruleCases, type RuleWrite, schemaOf, withoutRules } from "./rule-cases.ts"

const { REFERENCE_URL = "", REFERENCE_TOKEN = "" } = process.env
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const group = "rules.example.com"

interface Answer {
  readonly status: number
  readonly answer: JsonObject
  readonly warnings: readonly string[]
}

async function ask(method: string, path: string, body?: JsonObject): Promise<Answer> {
  const headers = { authorization: `Bearer ${REFERENCE_TOKEN}`, "content-type": "application/json" }
  const response = await fetch(REFERENCE_URL + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer: unknown = await response.json().catch(() => ({}))
  const warnings = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replace(/\\(.)/g, "$1"),
  )
  return { status: response.status, answer: isObject(answer) ? answer : {}, warnings }
}

function definitionOf(plural: string, openAPIV3Schema: JsonValue): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, kind: plural },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

async function write(one: RuleCase, plural: string, { spec, old }: RuleWrite, name: string): Promise<RuleAnswer> {
  const path = `/apis/${group}/v1/${plural}`
  const sent = { apiVersion: `${group}/v1`, kind: plural }
  if (old === undefined) return answerOf(await ask("POST", `${path}?dryRun=All`, { ...sent, ...objectOf(one, spec, name) }))
  const stored = await ask("GET", `${path}/${name}`)
  const object = { ...sent, ...objectOf(one, spec, name) }
  const metadata = isObject(stored.answer.metadata) ? stored.answer.metadata : {}
  return answerOf(await ask("PUT", `${path}/${name}?dryRun=All`, { ...object, metadata }))
}

function answerOf({ status, answer, warnings }: Answer): RuleAnswer {
  const said = warnings.length > 0 ? { warnings } : {}
  if (status < 300) return { causes: [], ...said }
  const list = isObject(answer.details) ? answer.details.causes : undefined
  if (!Array.isArray(list)) throw new Error(`no causes: ${status} ${JSON.stringify(answer)}`)
  const causes = list.filter(isObject).map((cause) => ({
    reason: String(cause.reason ?? ""),
    field: String(cause.field ?? ""),
    message: String(cause.message ?? ""),
  }))
  return { causes, ...said }
}

const pluralOf = (index: number): string => `rule${String.fromCharCode(97 + index)}s`
const cases = ruleCases()
for (const [index, one] of cases.entries()) {
  const schema = schemaOf(one)
  const made = await ask("POST", definitions, definitionOf(pluralOf(index), one.later ? withoutRules(schema) : schema))
  if (made.status !== 201) console.log(one.name, JSON.stringify(made.answer))
}
await wait(5000)
for (const [index, one] of cases.entries()) {
  for (const [at, { old }] of one.writes.entries()) {
    if (old === undefined) continue
    const object = { apiVersion: `${group}/v1`, kind: pluralOf(index), ...objectOf(one, old, `x${at}`) }
    const made = await ask("POST", `/apis/${group}/v1/${pluralOf(index)}`, object)
    if (made.status !== 201) console.log(one.name, JSON.stringify(made.answer))
  }
  if (!one.later) continue
  const { answer } = await ask("GET", `${definitions}/${pluralOf(index)}.${group}`)
  await ask("PUT", `${definitions}/${pluralOf(index)}.${group}`, {
    ...answer,
    spec: definitionOf(pluralOf(index), schemaOf(one)).spec ?? {},
  })
}
await wait(5000)
const answers: Record<string, RuleAnswer[]> = {}
for (const [index, one] of cases.entries()) {
  const list: RuleAnswer[] = []
  for (const [at, two] of one.writes.entries()) list.push(await write(one, pluralOf(index), two, `x${at}`))
  answers[one.name] = list
  await ask("DELETE", `${definitions}/${pluralOf(index)}.${group}`)
}
writeFileSync(answersFile, `# Recorded from the reference, release 1.30.\n${stringify(answers, { lineWidth: 0 })}`)
