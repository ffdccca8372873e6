/** Texts of YAML, with the result of kube-apiserver 1.30's reader (`sigs.k8s.io/yaml` 1.3.0) for each. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ApiError } from "../../runtime/base/errors.ts"
import { type JsonValue, isObject } from "../../runtime/base/json.ts"
import { parseJson, stringify } from "../../runtime/encoding/json/text.ts"
import { parseYaml, repeatedKeysText } from "../../runtime/wire/yaml.ts"

/** A row of `reader/main.go`. */
export interface ReaderAnswer {
  /** The document as JSON text. */
  readonly value?: string
  /** Why it cannot be read. */
  readonly fault?: string
  /** The keys that are set twice, in words. */
  readonly repeated?: string
}

export interface YamlCase extends ReaderAnswer {
  /** The id of the case in yaml-test-suite, or the number of a random one. */
  readonly id: string
  readonly text: string
}

/** `suite`: the texts of yaml-test-suite (MIT license). `random`: some of `texts.ts`. */
export type YamlCases = "suite" | "random"

export function recordedFile(cases: YamlCases): string {
  return join(import.meta.dirname, "recorded", `${cases}.json`)
}

export function recordedCases(cases: YamlCases): readonly YamlCase[] {
  return JSON.parse(readFileSync(recordedFile(cases), "utf8")) as YamlCase[] // Written by `differ.ts`.
}

/** The difference between this server's and the reader's result; undefined if none. Faults count as equal. */
export function differenceOf({ text, value, fault, repeated }: YamlCase): string | undefined {
  const theirs = fault === undefined ? sortedText(value ?? "null") : "a fault"
  const ours = read(text)
  const ourRepeated = ours.duplicates.length === 0 ? undefined : repeatedKeysText(ours.duplicates)
  if (ours.value !== theirs) return `${JSON.stringify(text)}\n  reference ${fault ?? theirs}\n  here      ${ours.fault ?? ours.value}`
  if (fault !== undefined || ourRepeated === repeated?.replace("error converting YAML to JSON: ", "")) return undefined
  return `${JSON.stringify(text)}\n  reference ${repeated}\n  here      ${ourRepeated}`
}

function read(text: string): { value: string; fault?: string; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = parseYaml(text.startsWith("\ufeff") ? text.slice(1) : text)
    return { value: sortedText(stringify(value)), duplicates }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { value: "a fault", fault: error.message, duplicates: [] }
  }
}

/** JSON text with the fields of objects in order. */
function sortedText(text: string): string {
  return stringify(sorted(parseJson(text).value))
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, sorted(field ?? null)] as const)
      .toSorted(byName),
  )
}

function byName([left]: readonly [string, JsonValue], [right]: readonly [string, JsonValue]): number {
  return left < right ? -1 : 1
}
