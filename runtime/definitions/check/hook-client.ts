/** Web hooks in definitions and in web hook configurations: their client configuration and review versions. */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { dns1035LabelFaults, dnsSubdomainFaults } from "../../schema/names.ts"
import { parseUrl } from "./go-url.ts"
import { optionalText, text } from "./schema-props.ts"

/** Known versions of reviews, of conversion or admission. A web hook must understand one. */
const reviewVersions = ["v1", "v1beta1"]

/**
 * Whether an old web hook names a known review version, or no version. An update may keep a list without a known one.
 */
export function knowsReviewVersion(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version))
}

/**
 * Checks the versions of reviews that a web hook understands. `required` is the text of the failure when there is none.
 */
export function checkReviewVersions(
  versions: readonly string[],
  { field, knownVersionRequired, required = "" }: { field: string; knownVersionRequired: boolean; required?: string },
  failures: Failures,
): void {
  if (versions.length === 0) return failures.add({ type: "Required", field, detail: required })
  const seen = new Set<string>()
  for (const [index, version] of versions.entries()) {
    if (failures.full) return
    const faults = seen.has(version) ? ["duplicate version"] : dns1035LabelFaults(version)
    seen.add(version)
    for (const detail of faults) failures.add({ type: "Invalid", field: `${field}[${index}]`, value: version, detail })
  }
  if (!knownVersionRequired || reviewVersions.some((version) => seen.has(version))) return
  failures.add({ type: "Invalid", field, value: [...versions], detail: `must include at least one of ${reviewVersions.join(", ")}` })
}

/**
 * Checks a client configuration at the path `field`. `swapped`: for definitions the reference reports a missing name of
 * the service as a missing namespace, and the other way round.
 */
export function checkHookClient(config: JsonObject, field: string, failures: Failures, swapped = false): void {
  const url = optionalText(config.url)
  const service = isObject(config.service) ? config.service : undefined
  if ((url === undefined) === (service === undefined)) {
    failures.add({ type: "Required", field, detail: "exactly one of url or service is required" })
  } else if (url !== undefined) checkHookUrl(url, `${field}.url`, failures)
  else if (service !== undefined) checkHookService(service, `${field}.service`, failures, swapped)
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

function checkHookService(service: JsonObject, field: string, failures: Failures, swapped: boolean): void {
  const names = [text(service.name), text(service.namespace)]
  const [name, namespace] = swapped ? names.toReversed() : names
  if (name === "") failures.add({ type: "Required", field: `${field}.name`, detail: "service name is required" })
  if (namespace === "") failures.add({ type: "Required", field: `${field}.namespace`, detail: "service namespace is required" })
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
