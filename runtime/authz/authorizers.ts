/** The authorizers of a server, from `--authorization-mode` and the options of the modes. */
import { readFileSync } from "node:fs"
import { assert } from "../base/assert.ts"
import type { Clock } from "../base/clock.ts"
import type { JsonValue } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import { StartError } from "../launch/start-error.ts"
import type { Options } from "../options/table.ts"
import { abacAuthorizer, parseAbacPolicies } from "./abac.ts"
import { alwaysAllow, alwaysDeny, type Authorizer, privileged } from "./authorize.ts"
import type { NodeGraph } from "./node/graph.ts"
import { nodeAuthorizer } from "./node/node.ts"
import type { RbacPolicy } from "./rbac/policy.ts"
import { rbacAuthorizer } from "./rbac/rbac.ts"
import type { CompiledRules } from "./rbac/rules.ts"
import { webhookAuthorizer } from "./webhook/webhook.ts"

type Mode = Options["authorization-mode"][number]

/** The client of web hooks. An error of its own may say that a later call can succeed. */
interface HookClient {
  post(place: object, call: { readonly review: string; readonly signal?: AbortSignal }): Promise<JsonValue>
}

/** What the modes decide by. */
export interface AuthorizerParts {
  readonly rbacPolicy: RbacPolicy
  readonly nodeGraph: NodeGraph
  /** Makes the rules of the role `system:node`. */
  readonly nodeRules: () => CompiledRules
  readonly hooks: HookClient
  /** What `--authorization-webhook-config-file` names. */
  readonly webhook: { readonly place: object } | undefined
  readonly vendor: Vendor
  readonly clock: Clock
}

type AuthorizationOptions = Pick<
  Options,
  | "authorization-mode"
  | "authorization-policy-file"
  | "authorization-webhook-config-file"
  | "authorization-webhook-version"
  | "authorization-webhook-cache-authorized-ttl"
  | "authorization-webhook-cache-unauthorized-ttl"
>

/** Called once at start. Members of system:masters pass before all modes. Throws StartError. */
export function authorizersOf(options: AuthorizationOptions, parts: AuthorizerParts): readonly Authorizer[] {
  const modes = options["authorization-mode"]
  checkModes(options)
  const make: Readonly<Record<Mode, () => Authorizer>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => abacOf(options["authorization-policy-file"], parts.vendor),
    Webhook: () => webhookOf(options, parts),
    RBAC: () => rbacAuthorizer(parts.rbacPolicy),
    Node: () => nodeOf(parts),
  }
  const chosen = modes.map((mode) => make[mode]())
  return chosen[0] === alwaysAllow ? chosen : [privileged, ...chosen]
}

/** The mode that an option belongs to. */
const fileOptions = { "authorization-policy-file": "ABAC", "authorization-webhook-config-file": "Webhook" } as const

function checkModes(options: AuthorizationOptions): void {
  const modes = options["authorization-mode"]
  if (modes.length === 0) throw new StartError("--authorization-mode names no mode; AlwaysAllow is the default")
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index)
  if (twice !== undefined) throw new StartError(`--authorization-mode names ${twice} twice; name each mode once`)
  for (const [name, mode] of Object.entries(fileOptions)) {
    const isGiven = options[name as keyof typeof fileOptions] !== "" // The keys of the record.
    if (modes.includes(mode) && !isGiven) throw new StartError(`--authorization-mode=${mode} needs --${name}`)
    if (!modes.includes(mode) && isGiven)
      throw new StartError(`--${name} has no effect without --authorization-mode=${mode}; add the mode or leave it out`)
  }
}

function abacOf(path: string, vendor: Vendor): Authorizer {
  return reading("authorization-policy-file", () => abacAuthorizer(parseAbacPolicies(readFileSync(path, "utf8"), vendor), vendor))
}

function webhookOf(options: AuthorizationOptions, { hooks, webhook, vendor, clock }: AuthorizerParts): Authorizer {
  assert(webhook !== undefined, "the file of the web hook was read, since the mode needs its option", {})
  return webhookAuthorizer({
    call: {
      post: (review, signal) => hooks.post(webhook.place, { review, ...(signal !== undefined && { signal }) }),
      isTransient: (error) => error instanceof Error && "isTransient" in error && error.isTransient === true,
    },
    version: options["authorization-webhook-version"],
    authorizedMs: options["authorization-webhook-cache-authorized-ttl"],
    unauthorizedMs: options["authorization-webhook-cache-unauthorized-ttl"],
    vendor,
    clock,
  })
}

function nodeOf({ nodeGraph: graph, nodeRules, vendor }: AuthorizerParts): Authorizer {
  return nodeAuthorizer({ graph, rules: nodeRules(), leaseNamespace: vendor.namespace("orch-node-lease") })
}

function reading<Result>(option: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new StartError(`--${option}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Whether health and version need no permission: with modes that cannot grant it. With the others they are authorized
 * as all paths.
 */
export function hasPublicPaths(modes: readonly Mode[]): boolean {
  return modes.every((mode) => mode === "AlwaysAllow" || mode === "AlwaysDeny")
}
