/** Reads the documents of options that have a kind: configurations of the server in the form of API objects. */
import { failuresText } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import { isObject, type JsonObject } from "../base/json.ts"
import { cut } from "../base/quote.ts"
import type { Vendor } from "../base/vendor.ts"
import { unknownFieldText } from "../encoding/json/typed.ts"
import { normalize } from "../encoding/normalize.ts"
import { sortedPaths } from "../encoding/unknown-fields.ts"
import type { TypeShape } from "../schema/shape.ts"
import { typed } from "../schema/typed.ts"
import { parseYaml, repeatedKeysText } from "../wire/yaml.ts"

export interface ConfigurationKind {
  readonly kind: string
  /** Neutral. Their documents have the same fields. */
  readonly versions: readonly string[]
  readonly shape: TypeShape
}

/** The document cannot be used. The message names the place, the fault and the valid values. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "ConfigurationError"
  }
}

/**
 * Decodes a document of a kind, YAML or JSON, with the fields that the shape gives it. Throws ConfigurationError for
 * another kind, for values of other types, and for unknown and repeated fields.
 */
export function decodeConfiguration<Configuration>(text: string, wanted: ConfigurationKind, vendor: Vendor): Configuration {
  const { value, duplicates } = reading(() => parseYaml(text))
  if (!isObject(value ?? {})) throw new ConfigurationError(`expected an object of kind ${wanted.kind}`)
  const document = isObject(value) ? value : {}
  checkKind(document, wanted, vendor)
  const { object, unknown } = reading(() => normalize(wanted.shape, document))
  const faults = [...(duplicates.length === 0 ? [] : [repeatedKeysText(duplicates)]), ...sortedPaths(unknown).map(unknownFieldText)]
  if (faults.length > 0) throw new ConfigurationError(`strict decoding error: ${faults.join(", ")}`)
  return typed<Configuration>(object)
}

function checkKind({ apiVersion, kind }: JsonObject, wanted: ConfigurationKind, vendor: Vendor): void {
  const versions = wanted.versions.map((version) => vendor.apiVersion(version))
  if (kind === wanted.kind && typeof apiVersion === "string" && versions.includes(apiVersion)) return
  const found = `apiVersion ${shown(apiVersion)} and kind ${shown(kind)}`
  throw new ConfigurationError(`it has ${found}; expected apiVersion ${versions.join(" or ")} and kind ${wanted.kind}`)
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(typeof value === "string" ? cut(value) : value)
}

/** Runs a check that collects failures. Throws ConfigurationError with all of them. */
export function validated<Result>(check: (failures: Failures) => Result): Result {
  const failures = new Failures()
  const result = check(failures)
  if (!failures.empty) throw new ConfigurationError(failuresText(failures.list))
  return result
}

function reading<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error))
  }
}
