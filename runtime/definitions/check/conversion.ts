/** How objects of one version become those of another: `spec.conversion`, with the client of its web hook. */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { dns1035LabelFaults, dnsSubdomainFaults } from "../../schema/names.ts"
import type { Conversion, DefinitionSpec } from "./definition-spec.ts"
import { parseUrl } from "./go-url.ts"
import { checkOneOf } from "./names.ts"
import { optionalText, text } from "./schema-props.ts"

/** The versions of ConversionReview that a definition may name so that one of them is understood. */
const reviewVersions = ["v1", "v1beta1"]
const path = "spec.conversion"
const notWebhookDetail = "should not be set when strategy is not set to Webhook"

/** Whether an old definition names a known review version, or none. An update may keep a list that does not. */
export function knowsReviewVersion(conversion: Conversion | undefined): boolean {
  const versions = conversion?.reviewVersions ?? []
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version))
}

/** `knownVersionRequired`: one of the review versions must be a known one. */
export function checkConversion(spec: DefinitionSpec, knownVersionRequired: boolean, failures: Failures): void {
  const { conversion, preserveUnknownFields } = spec
  if (conversion === undefined) return
  if (conversion.strategy !== "None" && preserveUnknownFields === true) {
    const detail = "must be None if spec.preserveUnknownFields is true"
    failures.add({ type: "Invalid", field: `${path}.strategy`, value: conversion.strategy, detail })
  }
  checkOneOf(`${path}.strategy`, conversion.strategy, ["None", "Webhook"], failures)
  if (conversion.strategy === "Webhook") {
    checkClientConfig(conversion.clientConfig, failures)
    checkReviewVersions(conversion.reviewVersions, knownVersionRequired, failures)
    return
  }
  if (conversion.clientConfig !== undefined) {
    failures.add({ type: "Forbidden", field: `${path}.webhookClientConfig`, detail: notWebhookDetail })
  }
  if (conversion.reviewVersions.length > 0) {
    failures.add({ type: "Forbidden", field: `${path}.conversionReviewVersions`, detail: notWebhookDetail })
  }
}

function checkReviewVersions(versions: readonly string[], knownRequired: boolean, failures: Failures): void {
  const field = `${path}.conversionReviewVersions`
  if (versions.length === 0) return failures.add({ type: "Required", field, detail: "" })
  const seen = new Set<string>()
  for (const [index, version] of versions.entries()) {
    if (failures.full) return
    const faults = seen.has(version) ? ["duplicate version"] : dns1035LabelFaults(version)
    seen.add(version)
    for (const detail of faults) failures.add({ type: "Invalid", field: `${field}[${index}]`, value: version, detail })
  }
  if (!knownRequired || reviewVersions.some((version) => seen.has(version))) return
  failures.add({ type: "Invalid", field, value: [...versions], detail: `must include at least one of ${reviewVersions.join(", ")}` })
}

function checkClientConfig(config: JsonObject | undefined, failures: Failures): void {
  const field = `${path}.webhookClientConfig`
  if (config === undefined) return failures.add({ type: "Required", field, detail: "required when strategy is set to Webhook" })
  const url = optionalText(config.url)
  const service = isObject(config.service) ? config.service : undefined
  if ((url === undefined) === (service === undefined)) {
    failures.add({ type: "Required", field, detail: "exactly one of url or service is required" })
  } else if (url !== undefined) checkHookUrl(url, `${field}.url`, failures)
  else if (service !== undefined) checkHookService(service, `${field}.service`, failures)
}

function checkHookUrl(url: string, field: string, failures: Failures): void {
  const form = "; desired format: https://host[/path]"
  const parts = parseUrl(url)
  if ("fault" in parts) return failures.add({ type: "Required", field, detail: `url must be a valid URL: ${parts.fault}${form}` })
  const { scheme, host, user, fragment, query } = parts
  const invalid = (value: string, detail: string): void => failures.add({ type: "Invalid", field, value, detail })
  if (scheme !== "https") invalid(scheme, `'https' is the only allowed URL scheme${form}`)
  if (host === "") invalid(host, `host must be specified${form}`)
  if (user !== undefined) invalid(user, "user information is not permitted in the URL")
  if (fragment !== "") invalid(fragment, "fragments are not permitted in the URL")
  if (query !== "") invalid(query, "query parameters are not permitted in the URL")
}

function checkHookService(service: JsonObject, field: string, failures: Failures): void {
  // The reference passes name and namespace to its check in the wrong order: each is reported as the other.
  const [reportedName, reportedNamespace] = [text(service.namespace), text(service.name)]
  if (reportedName === "") failures.add({ type: "Required", field: `${field}.name`, detail: "service name is required" })
  if (reportedNamespace === "") failures.add({ type: "Required", field: `${field}.namespace`, detail: "service namespace is required" })
  const { port = 443 } = service
  if (typeof port !== "number" || port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive"
    failures.add({ type: "Invalid", field: `${field}.port`, value: port, detail })
  }
  checkHookPath(text(service.path), `${field}.path`, failures)
}

function checkHookPath(value: string, field: string, failures: Failures): void {
  if (value === "" || value === "/") return
  const invalid = (detail: string): void => failures.add({ type: "Invalid", field, value, detail })
  if (value === "//") return invalid("segment[0] may not be empty")
  if (!value.startsWith("/")) invalid("must start with a '/'")
  const steps = value.slice(1).replace(/\/$/, "").split("/")
  for (const [index, step] of steps.entries()) {
    if (failures.full) return
    if (step === "") invalid(`segment[${index}] may not be empty`)
    else for (const fault of dnsSubdomainFaults(step)) invalid(`segment[${index}]: ${fault}`)
  }
}
