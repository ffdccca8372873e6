/** The body of a server-side apply: parsed once, applied once per attempt; specification section 4.8. */
import { applyStages } from "../apply/managed-fields/apply.ts"
import { typeText } from "../apply/managed-fields/configuration-text.ts"
import type { Versions } from "../apply/managed-fields/versions.ts"
import { ApiError, badRequest } from "../base/errors.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { JsonSyntaxError, stringify } from "../encoding/json/text.ts"
import { timeText } from "../base/time.ts"
import type { Stages } from "../base/turns.ts"
import { yamlBodyBytesMax } from "../base/limits.ts"
import { readYaml } from "../wire/decode-body.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { readJson } from "../wire/long-documents.ts"
import { repeatedKeysText, yamlText } from "../wire/yaml.ts"
import type { ObjectRequest } from "./call.ts"
import type { WriteOptions } from "./write-options.ts"
import type { Patch } from "./patch-document.ts"

export interface ApplyScope extends WriteOptions {
  /** The versions of the kind, or of the sub-resource's own kind. */
  readonly versions: Versions
  /** "": the object itself. */
  readonly subresource: string
  /** Absent: the kind of the path. */
  readonly kind?: string
}

/** Reads the configuration, as YAML or JSON. Throws 400 or 413. */
export async function readApplyPatch(call: ObjectRequest, body: Buffer, scope: ApplyScope): Promise<Patch> {
  const configuration = await readConfiguration(body, call.request.expiry)
  if (call.request.audit?.keepsRequest === true) {
    await call.request.pace.turn()
    call.request.audit.sentJson(stringify(configuration.value ?? {}))
  }
  return applyPatchOf(call, configuration, scope)
}

/**
 * The patch of a parsed configuration. Throws 400. For a repeated field, the last value counts. Repeated fields are
 * refused or warned about after the configuration has been applied: a conflict comes first, as in the reference.
 */
export function applyPatchOf(call: ObjectRequest, { value, duplicates }: Configuration, scope: ApplyScope): Patch {
  const config = value ?? {}
  if (!isObject(config)) throw badRequest("error decoding YAML: an applied configuration must be an object")
  const applied: ApplyState = { call, config, duplicates, scope, hasWarned: false }
  return {
    strictErrors: [],
    isApplied: true,
    apply: (live, isLarge = false) => {
      checkKind(call, config, scope)
      return duplicates.length === 0 ? applyingConfiguration(applied, live, isLarge) : applyingDoubtful(applied, live, isLarge)
    },
  }
}

interface ApplyState {
  readonly call: ObjectRequest
  readonly config: JsonObject
  /** A text for each repeated key. */
  readonly duplicates: readonly string[]
  readonly scope: ApplyScope
  /** Whether the client has been warned of the repeated keys. */
  hasWarned: boolean
}

function* applyingDoubtful(applied: ApplyState, live: ApiObject | undefined, isLarge: boolean): Stages<ApiObject> {
  const { call, duplicates, scope } = applied
  const object = yield* applyingConfiguration(applied, live, isLarge)
  if (scope.fieldValidation !== "Ignore") {
    if (scope.fieldValidation === "Strict")
      throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeysText(duplicates)}`)
    if (!applied.hasWarned) call.request.warnings.push(...duplicates)
    applied.hasWarned = true
  }
  return object
}

function applyingConfiguration({ call, config, scope }: ApplyState, live: ApiObject | undefined, isLarge: boolean): Stages<ApiObject> {
  return applyStages({
    config,
    isLarge,
    versions: scope.versions,
    manager: scope.fieldManager,
    subresource: scope.subresource,
    force: scope.force,
    now: timeText(call.parts.clock.nowMs()),
    lastAppliedAnnotation: call.parts.vendor.domain("kubectl.orch.io/last-applied-configuration"),
    ...(live !== undefined && { live }),
  })
}

/** A parsed configuration. */
export interface Configuration {
  readonly value: JsonValue
  /** A text for each repeated key. */
  readonly duplicates: readonly string[]
}

/** Tries JSON first: most clients send it, and it parses many times faster than YAML. */
async function readConfiguration(body: Buffer, signal: DeadlineSignal): Promise<Configuration> {
  const text = yamlText(body)
  if (/^\s*\{/.test(text)) {
    try {
      const { value, duplicates } = await readJson(body.length, text, signal)
      if (duplicates.length === 0) return { value, duplicates }
      // The reference's messages contain line numbers, which only the YAML parser has; it refuses larger bodies.
      if (Buffer.byteLength(text) > yamlBodyBytesMax)
        return { value, duplicates: duplicates.map((path) => `key ${JSON.stringify(path)} already set in map`) }
    } catch (error) {
      // A YAML flow mapping begins like a JSON object.
      if (!(error instanceof JsonSyntaxError)) throw error
    }
  }
  try {
    return await readYaml(body, signal)
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) throw badRequest(`error decoding YAML: ${error.message}`)
    throw error
  }
}

/** Requires kind and apiVersion in the body: a configuration is often kept in a file, apart from the path. */
function checkKind(call: ObjectRequest, config: JsonObject, scope: ApplyScope): void {
  const { apiVersion } = scope.versions.current
  const kind = scope.kind ?? call.handle.kind.kind
  if (config.apiVersion === apiVersion && config.kind === kind) return
  const found = `apiVersion ${stringify(config.apiVersion ?? null)}, kind ${stringify(config.kind ?? null)}`
  const expected = `apiVersion ${stringify(apiVersion)}, kind ${stringify(kind)}`
  const rule = `the applied configuration must say ${expected} as the path does; it says ${found}`
  throw badRequest(`invalid object type: ${typeText(config)}: ${rule}`)
}
