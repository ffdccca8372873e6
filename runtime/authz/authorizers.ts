/** The current authorizers of a server, as named by `--authorization-mode` or `--authorization-config`. */
import { assert } from "../base/assert.ts"
import type { Clock } from "../base/clock.ts"
import type { JsonValue } from "../base/json.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Options } from "../options/table.ts"
import type { UserRules } from "../schema/access.ts"
import { type AbacPolicies, abacAuthorizer } from "./abac.ts"
import { alwaysAllow, alwaysDeny, type AuthorizedRequest, type Authorizer, decide, privileged, rulesOf } from "./authorize.ts"
import type { AuthorizerMeter } from "./meters.ts"
import type { NodeGraph } from "./node/graph.ts"
import { nodeAuthorizer } from "./node/node.ts"
import type { RbacPolicy } from "./rbac/policy.ts"
import { rbacAuthorizer } from "./rbac/rbac.ts"
import type { CompiledRules } from "./rbac/rules.ts"
import type { AuthorizerRecord } from "./validate-configuration.ts"
import { webhookAuthorizer } from "./webhook/webhook.ts"

export type Mode = Options["authorization-mode"][number]

/** The place of a web hook, whose files may change. */
export interface HookSource {
  readonly place: object
}

/** One authorizer with its files. */
export interface AuthorizerSetup extends AuthorizerRecord<Mode> {
  /** For the type Webhook. */
  readonly hook?: HookSource
}

/** The current authorization settings from options and their files. */
export interface ConfiguredAuthorization {
  readonly authorizers: readonly AuthorizerSetup[]
  /** Content of `--authorization-policy-file`, for the type ABAC. */
  readonly policies: AbacPolicies | undefined
  /** Calls `listener` when `authorizers` has changed. */
  onChange(listener: () => void): void
  /** Stops following files. */
  stop(): void
}

/** The client of web hooks. Its errors may say that a later call can succeed, or that the call timed out. */
interface HookClient {
  post(place: object, call: { readonly review: string; readonly signal?: AbortSignal; readonly timeoutMs?: number }): Promise<JsonValue>
}

/** Inputs of the modes. */
export interface AuthorizerParts {
  readonly rbacPolicy: RbacPolicy
  readonly nodeGraph: NodeGraph
  /** Makes the rules of the role `system:node`. */
  readonly nodeRules: () => CompiledRules
  readonly hooks: HookClient
  readonly vendor: Vendor
  readonly clock: Clock
  readonly meter: AuthorizerMeter
}

/** Called once at start. Returns one authorizer, which asks the configured ones in their order. */
export function authorizersOf(configured: ConfiguredAuthorization, parts: AuthorizerParts): readonly Authorizer[] {
  let current = chain(configured, parts)
  configured.onChange(() => {
    current = chain(configured, parts)
  })
  return [
    Object.assign((request: AuthorizedRequest) => decide(current, request), {
      rulesFor: (user: User, namespace: string): UserRules => rulesOf(current, user, namespace),
    }),
  ]
}

/** Members of system:masters pass before all modes. */
function chain({ authorizers, policies }: ConfiguredAuthorization, parts: AuthorizerParts): readonly Authorizer[] {
  const make: Readonly<Record<Mode, (setup: AuthorizerSetup) => Authorizer>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => abacOf(policies, parts.vendor),
    Webhook: (setup) => webhookOf(setup, parts),
    RBAC: () => rbacAuthorizer(parts.rbacPolicy),
    Node: () => nodeOf(parts),
  }
  const chosen = authorizers.map((setup) => counted(make[setup.type](setup), parts.meter.decisions(setup.type, setup.name)))
  return authorizers[0]?.type === "AlwaysAllow" ? chosen : [privileged, ...chosen]
}

/** Counts the decisions of an authorizer. */
function counted(authorizer: Authorizer, count: ReturnType<AuthorizerMeter["decisions"]>): Authorizer {
  const { rulesFor } = authorizer
  return Object.assign(
    (request: AuthorizedRequest) => {
      const decision = authorizer(request)
      if (decision instanceof Promise)
        return decision.then((decided) => {
          count(decided)
          return decided
        })
      count(decision)
      return decision
    },
    { ...(rulesFor !== undefined && { rulesFor }) },
  )
}

function abacOf(policies: AbacPolicies | undefined, vendor: Vendor): Authorizer {
  assert(policies !== undefined, "the file of policies was read, since the mode needs its option", {})
  return abacAuthorizer(policies, vendor)
}

function webhookOf({ name, webhook, hook }: AuthorizerSetup, { hooks, vendor, clock, meter }: AuthorizerParts): Authorizer {
  assert(webhook !== undefined && hook !== undefined, "the file of the web hook was read, since the mode needs one", { name })
  const { timeoutMs, ...record } = webhook
  return webhookAuthorizer({
    ...record,
    call: {
      post: (review, signal) => hooks.post(hook.place, { review, timeoutMs, ...(signal !== undefined && { signal }) }),
      isTransient: (error) => error instanceof Error && "isTransient" in error && error.isTransient === true,
      isTimeout: (error) => error instanceof Error && "isTimeout" in error && error.isTimeout === true,
    },
    ...{ vendor, clock, meter: meter.webhook(name) },
  })
}

function nodeOf({ nodeGraph: graph, nodeRules, vendor }: AuthorizerParts): Authorizer {
  return nodeAuthorizer({ graph, rules: nodeRules(), leaseNamespace: vendor.namespace("orch-node-lease") })
}

type ModeOptions = Pick<Options, "authorization-mode" | "authorization-config">

/**
 * Whether the server follows roles and bindings, and refuses writes of them that grant more than the user holds: with
 * all modes that may allow such a write, as in the reference. With AlwaysAllow every user may escalate.
 */
export function checksEscalation(options: ModeOptions): boolean {
  return options["authorization-config"] !== "" || !options["authorization-mode"].every(isFixed)
}

/** Whether the mode decides all requests alike. */
function isFixed(mode: Mode): boolean {
  return mode === "AlwaysAllow" || mode === "AlwaysDeny"
}

/** The modes of `--authorization-mode` without their files: for servers that are started without launch. */
export function withoutFiles(modes: readonly Mode[]): ConfiguredAuthorization {
  return {
    authorizers: modes.map((type) => ({ type, name: type.toLowerCase() })),
    policies: undefined,
    onChange: () => undefined,
    stop: () => undefined,
  }
}
