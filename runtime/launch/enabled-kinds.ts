/**
 * Selects the kinds that a server serves: all but the optional ones, changed by `--runtime-config` and
 * `--feature-gates` (catalog resources.yaml: servedByDefault).
 */
import { nearest } from "../base/nearest.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Options } from "../options/table.ts"
import type { Kind } from "../schema/kind.ts"
import { StartError } from "../base/start-error.ts"

/** Group versions that the server itself needs: without them it would not start or would break promises. */
const needed: readonly string[] = ["v1", "apiextensions.orch.io/v1", "coordination.orch.io/v1"]

/** Keys for versions by stability, and for all; keys further left take precedence. `api/legacy` has no effect. */
const wide = ["api/ga", "api/beta", "api/alpha", "api/all", "api/legacy"]

export interface Enablement {
  readonly options: Pick<Options, "runtime-config" | "feature-gates">
  readonly vendor: Vendor
  /** The kinds of this package; `api/all` and the like affect only these. Absent: all kinds. */
  readonly builtIn?: ReadonlySet<Kind>
}

/**
 * Called once at start with the kinds of this package and of the user. A version that is off while another version of
 * its resource is on stays as a version that clients cannot use, because its objects are stored; a resource without any
 * version is left out. Throws StartError for a key that names nothing, and for a group version that the server itself
 * needs.
 */
export function enabledKinds(kinds: readonly Kind[], how: Enablement): readonly Kind[] {
  const config = withoutRoot(how.options["runtime-config"])
  const named: Enablement = { ...how, options: { ...how.options, "runtime-config": config } }
  for (const key of Object.keys(config)) checkKey(key, kinds, named)
  const on = new Set(kinds.filter((kind) => isEnabled(kind, named)))
  if (on.size === kinds.length) return kinds
  const paths = new Set([...on].map((kind) => kind.storage.path))
  return kinds.filter((kind) => paths.has(kind.storage.path)).map((kind) => (on.has(kind) ? kind : { ...kind, served: false }))
}

/** The core group may also be named by its root: `api/v1` is `v1`. */
function withoutRoot(config: Options["runtime-config"]): Options["runtime-config"] {
  return Object.fromEntries(Object.entries(config).map(([key, isOn]) => [key.replace(/^api\/(?=v1(\/|$))/, ""), isOn]))
}

function isEnabled(kind: Kind, { options, vendor, builtIn }: Enablement): boolean {
  const { optional } = kind
  if (optional?.gate !== undefined && options["feature-gates"][optional.gate] !== true) return false
  const config = options["runtime-config"]
  const groupVersion = groupVersionOf(kind, vendor)
  const own = config[`${groupVersion}/${kind.resource}`] ?? config[groupVersion]
  if (own !== undefined) return own
  const inWide = builtIn?.has(kind) !== false && !needed.includes(groupVersionOf(kind))
  const byStability = inWide ? (config[stabilityKey(kind.version)] ?? config["api/all"]) : undefined
  return byStability ?? optional === undefined
}

function stabilityKey(version: string): string {
  if (version.includes("alpha")) return "api/alpha"
  return version.includes("beta") ? "api/beta" : "api/ga"
}

/** The group version as operators write it; for the core group the version. Without a vendor: neutral. */
function groupVersionOf({ group, version }: Kind, vendor?: Vendor): string {
  return group === "" ? version : `${vendor?.group(group) ?? group}/${version}`
}

function checkKey(key: string, kinds: readonly Kind[], { options, vendor }: Enablement): void {
  if (wide.includes(key)) return
  const known = kinds.flatMap((kind) => [groupVersionOf(kind, vendor), `${groupVersionOf(kind, vendor)}/${kind.resource}`])
  if (!known.includes(key)) {
    const meant = nearest(key, [...known, ...wide])
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`
    throw new StartError(
      `--runtime-config: ${key} is no group/version, group/version/resource, api/all, api/ga, api/beta or api/alpha of this server${hint}`,
    )
  }
  const isNeeded = needed.some((one) => key === vendor.apiVersion(one) || key.startsWith(`${vendor.apiVersion(one)}/`))
  if (isNeeded && options["runtime-config"][key] === false)
    throw new StartError(`--runtime-config: ${key} cannot be off: the server itself needs it`)
}
