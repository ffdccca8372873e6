/**
 * The format of scenario files. Every word is checked, so that a misspelt one cannot make a test that tests nothing.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { VendorName } from "../../../runtime/base/vendor.ts"
import type { InProcessOptions } from "../../support/in-process.ts"
import { isRecord } from "./matchers.ts"
import { readValues } from "./yaml-values.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface Step {
  readonly type: StepType
  readonly fields: Fields
}

export interface Scenario {
  /** `metadata/generate-name`: folder and file name. */
  readonly name: string
  /** Only under this vendor's names. */
  readonly vendor?: VendorName
  /** A server of its own, with these options. */
  readonly server?: Partial<InProcessOptions>
  /** Why the scenario is known to fail: it must fail until the fault is mended. */
  readonly fault?: string
  readonly steps: readonly Step[]
}

const requestKeys = [
  "headers",
  "body",
  "yaml",
  "text",
  "hex",
  "compact",
  "patch",
  "chunked",
  "expect",
  "capture",
  "times",
  "until",
  "suffixes",
  "clock",
  "only",
]

/** The word that gives a step its type, and the words that may stand beside it. README.md describes each. */
const stepKeys = {
  do: requestKeys,
  watch: ["as", "headers", "only"],
  events: ["expect", "capture"],
  ended: [],
  close: [],
  advance: [],
  forget: [],
  together: ["statuses"],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type StepType = keyof typeof stepKeys

const expectKeys = ["status", "reason", "message", "causes", "headers", "warnings", "body", "text", "names"]
const scenarioKeys = ["vendor", "server", "fault", "steps"]

/** Every scenario below a folder, in order of names. Throws an Error naming file and step. */
export function loadScenarios(dir: string): readonly Scenario[] {
  const areas = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "harness")
  return areas.flatMap((area) => {
    const files = readdirSync(join(dir, area.name)).filter((file) => file.endsWith(".yaml"))
    return files.sort().map((file) => loadScenario(dir, `${area.name}/${file}`))
  })
}

function loadScenario(dir: string, file: string): Scenario {
  const text = readFileSync(join(dir, file), "utf8")
  if (!/^# .*([Ss]pecification|[Rr]eference)/.test(text))
    throw new Error(`${file}: the first line says what proves its expectations: a section of the specification, or the reference`)
  const document = readValues(text, file)
  if (!isFields(document)) throw new Error(`${file}: expected a mapping with steps`)
  checkKeys(document, scenarioKeys, file)
  const { vendor, server, fault, steps } = document
  if (!Array.isArray(steps) || steps.length === 0) throw new Error(`${file}: expected a list of steps`)
  return {
    name: file.replace(/\.yaml$/, ""),
    ...((vendor === "orch" || vendor === "kubernetes") && { vendor }),
    ...(isFields(server) && { server: server as Partial<InProcessOptions> }), // startServer refuses what it cannot use.
    ...(typeof fault === "string" && { fault }),
    steps: steps.map((step: unknown, index) => stepOf(step, `${file}: step ${index + 1}`)),
  }
}

/** Checks a step and returns it with its type; checks steps inside of `together` too. */
export function stepOf(value: unknown, where: string): Step {
  if (!isFields(value)) throw new Error(`${where}: expected a mapping`)
  const types = stepTypes.filter((type) => type in value)
  const [type] = types
  if (type === undefined || types.length > 1) throw new Error(`${where}: expected one of ${stepTypes.join(", ")}`)
  checkKeys(value, [type, ...stepKeys[type]], where)
  if (type === "do" && isFields(value.expect)) checkKeys(value.expect, expectKeys, `${where}: expect`)
  return { type, fields: value }
}

const stepTypes = Object.keys(stepKeys) as StepType[] // Object.keys forgets what it was given.

function checkKeys(fields: Fields, known: readonly string[], where: string): void {
  const strange = Object.keys(fields).find((key) => !known.includes(key))
  if (strange !== undefined) throw new Error(`${where}: ${strange} is none of ${known.join(", ")}`)
}

export function isFields(value: unknown): value is Fields {
  return isRecord(value)
}
