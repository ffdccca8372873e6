/** Reads and checks the options of create, update and patch requests; specification sections 4.3, 4.9, 4.10. */
import { invalid } from "../base/errors.ts"
import { type Failure, Failures } from "../base/failure.ts"
import { FieldPath } from "../encoding/field-path.ts"
import { booleanParameter, textParameter } from "../http/request/query.ts"
import { validateManager } from "../registry/object-meta.ts"
import type { FieldValidation } from "../wire/decode-object.ts"

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** As in the request; "" if absent. */
  readonly fieldManager: string
  /** Apply: take over fields that other managers own. */
  readonly force: boolean
}

/** The kind of options, for error texts. An apply is a patch that may be forced and needs a manager. */
export type WriteKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "apply"

/** Called before the body is read. Throws 422 with every invalid option. */
export function readWriteOptions(query: URLSearchParams, kind: WriteKind): WriteOptions {
  const known = knownOptions[kind].get(query)
  if (known !== undefined) return known
  const options = readUnknown(query, kind)
  knownOptions[kind].set(query, options)
  return options
}

/** Requests share the parsed form of a query (`parseQuery`). */
const knownOptions: Readonly<Record<WriteKind, WeakMap<URLSearchParams, WriteOptions>>> = {
  CreateOptions: new WeakMap(),
  UpdateOptions: new WeakMap(),
  PatchOptions: new WeakMap(),
  apply: new WeakMap(),
}

function readUnknown(query: URLSearchParams, kind: WriteKind): WriteOptions {
  const fieldManager = textParameter(query, "fieldManager")
  const failures = new Failures()
  for (const failure of applyFailures(query, kind, fieldManager)) failures.add(failure)
  validateManager(fieldManager, FieldPath.of("fieldManager"), failures)
  for (const failure of dryRunFailures(query.getAll("dryRun"))) failures.add(failure)
  const fieldValidation = textParameter(query, "fieldValidation")
  if (!isFieldValidation(fieldValidation)) {
    failures.add({
      type: "NotSupported",
      field: "fieldValidation",
      value: fieldValidation,
      detail: "",
      supported: ["", "Ignore", "Strict", "Warn"],
    })
  }
  if (!failures.empty || !isFieldValidation(fieldValidation))
    throw invalid({ group: "meta.orch.io", resource: kind === "apply" ? "PatchOptions" : kind }, failures.list)
  return {
    dryRun: query.getAll("dryRun").includes("All"),
    fieldValidation: fieldValidation === "" ? "Warn" : fieldValidation,
    fieldManager,
    force: booleanParameter(query, "force") ?? false,
  }
}

function applyFailures(query: URLSearchParams, kind: WriteKind, fieldManager: string): Failure[] {
  if (kind === "apply")
    return fieldManager === "" ? [{ type: "Required", field: "fieldManager", detail: "is required for apply patch" }] : []
  return kind === "PatchOptions" && query.has("force")
    ? [{ type: "Forbidden", field: "force", detail: "may not be specified for non-apply patch" }]
    : []
}

function isFieldValidation(text: string): text is FieldValidation | "" {
  return text === "" || text === "Ignore" || text === "Warn" || text === "Strict"
}

/** Called by all writes, including deletes: any value but `All` is refused rather than ignored. */
export function dryRunFailures(values: readonly unknown[]): Failure[] {
  const wrong = values.filter((value) => value !== "All")
  return wrong.length === 0 ? [] : [{ type: "NotSupported", field: "dryRun", value: values.map(String), detail: "", supported: ["All"] }]
}
