/** The options of create, update, patch and delete requests, checked as one: specification sections 4.3, 4.9, 4.10. */
import { badRequest, invalid } from "../errors.ts"
import type { Failure } from "../kit/failure.ts"
import type { JsonObject } from "../kit/json.ts"
import { checkDeleteOptions, type DeleteRequest } from "../registry/delete.ts"
import { booleanParameter, integerParameter, textParameter } from "../query.ts"

export type FieldValidation = "Ignore" | "Warn" | "Strict"

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
}

const fieldManagerMaxLength = 128

/** Called before the body is read. Throws 422 with every fault, about `kind` (`CreateOptions`, ...). */
export function readWriteOptions(query: URLSearchParams, kind: "CreateOptions" | "UpdateOptions" | "PatchOptions"): WriteOptions {
  const failures: Failure[] = [...dryRunFailures(query.getAll("dryRun")), ...managerFailures(textParameter(query, "fieldManager"))]
  const fieldValidation = textParameter(query, "fieldValidation")
  if (kind === "PatchOptions" && query.has("force"))
    failures.push({ type: "Forbidden", field: "force", detail: "may not be specified for non-apply patch" })
  if (!isFieldValidation(fieldValidation)) {
    failures.push({
      type: "NotSupported",
      field: "fieldValidation",
      value: fieldValidation,
      detail: "",
      supported: ["Ignore", "Strict", "Warn"],
    })
  }
  if (failures.length > 0 || !isFieldValidation(fieldValidation)) throw invalid({ group: "meta.orch.io", resource: kind }, failures)
  return { dryRun: query.getAll("dryRun").includes("All"), fieldValidation: fieldValidation === "" ? "Warn" : fieldValidation }
}

function isFieldValidation(text: string): text is FieldValidation | "" {
  return text === "" || text === "Ignore" || text === "Warn" || text === "Strict"
}

/** A bare `dryRun` means a real request, by the specification; anything but `All` is refused rather than carried out. */
function dryRunFailures(values: readonly unknown[]): Failure[] {
  const wrong = values.filter((value) => value !== "" && value !== "All")
  return wrong.length === 0 ? [] : [{ type: "NotSupported", field: "dryRun", value: values.map(String), detail: "", supported: ["All"] }]
}

function managerFailures(manager: string): Failure[] {
  const failures: Failure[] = []
  if (manager.length > fieldManagerMaxLength)
    failures.push({ type: "TooLong", field: "fieldManager", value: manager, detail: `must have at most ${fieldManagerMaxLength} bytes` })
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager))
    failures.push({ type: "Invalid", field: "fieldManager", value: manager, detail: "should only contain printable characters" })
  return failures
}

/** The deletion part of a `DeleteRequest`. */
export type DeleteOptions = Omit<DeleteRequest, "namespace" | "name">

/**
 * Body and query of a delete request, both honoured: where they disagree the safer word holds, so that no body can silence `?dryRun=All`.
 * `body` is a decoded DeleteOptions, absent when none was sent. Throws 400 or 422.
 */
export function readDeleteOptions(query: URLSearchParams, body: JsonObject | undefined): DeleteOptions {
  const dryRuns = [...query.getAll("dryRun"), ...listOf(body?.dryRun)]
  const failures = dryRunFailures(dryRuns)
  const policy = textOf(body, "propagationPolicy") ?? (textParameter(query, "propagationPolicy") || undefined)
  if (policy !== undefined && !isPolicy(policy)) {
    failures.push({
      type: "NotSupported",
      field: "propagationPolicy",
      value: policy,
      detail: "",
      supported: ["Foreground", "Background", "Orphan", "nil"],
    })
  }
  const orphan = flagOf(body, "orphanDependents") ?? booleanParameter(query, "orphanDependents")
  const grace = numberOf(body, "gracePeriodSeconds") ?? integerParameter(query, "gracePeriodSeconds")
  if (failures.length > 0) throw invalid({ group: "meta.orch.io", resource: "DeleteOptions" }, failures)
  const options: DeleteOptions = {
    dryRun: dryRuns.includes("All"),
    ...(policy !== undefined && isPolicy(policy) && { propagationPolicy: policy }),
    ...(orphan !== undefined && { orphanDependents: orphan }),
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...preconditions(body),
  }
  checkDeleteOptions(options)
  return options
}

function isPolicy(text: string): text is "Orphan" | "Background" | "Foreground" {
  return text === "Orphan" || text === "Background" || text === "Foreground"
}

function preconditions(body: JsonObject | undefined): Pick<DeleteOptions, "uid" | "resourceVersion"> {
  const sent = body?.preconditions
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return {}
  const uid = textOf(sent, "uid")
  const resourceVersion = textOf(sent, "resourceVersion")
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
}

function listOf(value: JsonObject[string]): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw badRequest("DeleteOptions.dryRun: expected a list of texts")
  return value
}

function textOf(from: JsonObject | undefined, name: string): string | undefined {
  const value = from?.[name]
  if (value === undefined || value === null || value === "") return undefined
  if (typeof value !== "string") throw badRequest(`DeleteOptions.${name}: expected a text, found ${JSON.stringify(value)}`)
  return value
}

function flagOf(from: JsonObject | undefined, name: string): boolean | undefined {
  const value = from?.[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "boolean") throw badRequest(`DeleteOptions.${name}: expected true or false, found ${JSON.stringify(value)}`)
  return value
}

function numberOf(from: JsonObject | undefined, name: string): number | undefined {
  const value = from?.[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "number" || !Number.isInteger(value))
    throw badRequest(`DeleteOptions.${name}: expected a whole number, found ${JSON.stringify(String(value))}`)
  return value
}
