/** The authorizers of a server: those that `--authorization-mode` or `--authorization-config` name, as they are now. */
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

/** Where a web hook is; its files may change. */
export interface HookSource {
  readonly place: object
}

/** One authorizer, with what its files say. */
export interface AuthorizerSetup extends AuthorizerRecord<Mode> {
  /** Of the type Webhook. */
  readonly hook?: HookSource
}

/** What the options of authorization and their files say, as they are now. */
export interface ConfiguredAuthorization {
  readonly authorizers: readonly AuthorizerSetup[]
  /** What `--authorization-policy-file` says, for the type ABAC. */
  readonly policies: AbacPolicies | undefined
  /** Calls `listener` when `authorizers` are others. */
  onChange(listener: () => void): void
  /** Nothing is read any more. */
  stop(): void
}

/** The client of web hooks. An error of its own may say that a later call can succeed, or that the time was over. */
interface HookClient {
  post(place: object, call: { readonly review: string; readonly signal?: AbortSignal; readonly timeoutMs?: number }): Promise<JsonValue>
}

/** What the modes decide by. */
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

/** Called once at start. One authorizer that asks those of the configuration in their order. */
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
 * Whether roles and bindings are followed, and writes of them checked so that no user grants more than the user holds:
 * with all modes that may allow such a write, as in the reference. With AlwaysAllow each user may escalate.
 */
export function checksEscalation(options: ModeOptions): boolean {
  return options["authorization-config"] !== "" || !options["authorization-mode"].every(isFixed)
}

/** It decides on all requests alike. */
function isFixed(mode: Mode): boolean {
  return mode === "AlwaysAllow" || mode === "AlwaysDeny"
}

/** What `--authorization-mode` says without any of the modes' files: for servers that are started without launch. */
export function withoutFiles(modes: readonly Mode[]): ConfiguredAuthorization {
  return {
    authorizers: modes.map((type) => ({ type, name: type.toLowerCase() })),
    policies: undefined,
    onChange: () => undefined,
    stop: () => undefined,
  }
}
