/** Recorded results of kube-apiserver 1.30 for objects of some definitions, compared with this code. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import { shortJson } from "../../base/bounded-text.ts"
import { ApiError, invalid } from "../../base/errors.ts"
import { Failures } from "../../base/failure.ts"
import type { JsonObject } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { validateObjectMeta } from "../../registry/object-meta.ts"
import { structuralOf } from "../structural.ts"
import { defaultObject } from "./defaults.ts"
import { normalizeEmbedded } from "./embedded.ts"
import { formatTest } from "./formats.ts"
import { pruneObject } from "./prune.ts"
import { UnknownNames } from "./unknown-names.ts"
import { validateObject } from "./validate.ts"

/** Reason, field and message. */
type Cause = readonly [string, string, string]

interface Answer {
  readonly object: JsonObject
  /** The object as it was stored. */
  readonly result?: JsonObject
  readonly causes?: readonly Cause[]
  /** The message of a 400. */
  readonly error?: string
  readonly warnings?: readonly string[]
}

interface Recorded {
  readonly name: string
  readonly schema: JsonObject
  readonly answers: readonly Answer[]
}

function read<T>(file: string): T {
  const text = readFileSync(new URL(`recorded/${file}`, import.meta.url), "utf8")
  return parse(text, (_name, value: unknown) => (typeof value === "bigint" && isSafe(value) ? Number(value) : value), { intAsBigInt: true })
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}

function answerTo(sent: JsonObject, source: JsonObject): Omit<Answer, "object"> {
  const schema = structuralOf(source, "x-kubernetes-")
  const object = deepClone(sent)
  const unknown = new UnknownNames()
  try {
    pruneObject(object, schema, { unknown })
    normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "refuse", unknown })
  } catch (error) {
    if (error instanceof ApiError) return { error: comparable(error.message) }
    throw error
  }
  defaultObject(object, schema)
  const failures = new Failures()
  validateObject(object, schema, failures, {
    checkMetadata: (metadata, path, of) =>
      validateObjectMeta(metadata, { namespaced: (metadata.namespace ?? "") !== "", nameRule: "path-segment", failures: of, path }),
  })
  const warnings = unknown.list().map((name) => `unknown field "${name}"`)
  const { causes = [] } = invalid({ group: "", resource: "" }, failures.list).details ?? {}
  const found = causes.map(({ reason = "", field = "", message = "" }): Cause => [reason, field, message])
  const { metadata: _metadata, ...result } = object
  return {
    ...(failures.empty ? { result } : { causes: found.sort(compareCauses) }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Removes the kind, which the reader of the body adds, and the decoder's own text. */
function comparable(error: string): string {
  const [before = ""] = error.replace(/^.* cannot be handled as a [A-Za-z]+: /, "").split(": json:")
  return before
}

function isOwnMetadata(warning: string): boolean {
  return warning.startsWith('unknown field "metadata.')
}

function compareCauses(left: Cause, right: Cause): number {
  const [one, other] = [left, right].map((cause) => cause.join("\n"))
  return one === other ? 0 : (one ?? "") < (other ?? "") ? -1 : 1
}

describe("recorded answers", () => {
  for (const { name, schema, answers } of [...read<Recorded[]>("objects.yaml"), ...read<Recorded[]>("random.yaml")]) {
    describe(name, () => {
      for (const { object, ...answer } of answers) {
        it(shortJson(object, 200), () => {
          const { metadata: _metadata, ...result } = answer.result ?? {}
          const { causes, error, warnings } = answer
          const expected = {
            ...answer,
            ...(answer.result !== undefined && { result }),
            ...(warnings !== undefined && { warnings: warnings.filter((text) => !isOwnMetadata(text)) }),
            ...(error !== undefined && { error: comparable(error) }),
            ...(causes !== undefined && { causes: causes.toSorted(compareCauses) }),
          }
          expect(answerTo(object, schema)).toEqual(expected)
        })
      }
    })
  }
})

describe("formats", () => {
  const formats = read<Readonly<Record<string, { readonly valid: string[]; readonly invalid: string[] }>>>("formats.yaml")
  for (const [name, { valid, invalid: refused }] of Object.entries(formats)) {
    it(name, () => {
      const test = formatTest(name) ?? (() => true)
      expect({ valid: valid.filter(test), invalid: refused.filter((text) => !test(text)) }).toEqual({ valid, invalid: refused })
    })
  }
})
