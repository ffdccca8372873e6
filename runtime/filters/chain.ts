/** The filter chain, for requests of connections and for operations of programs in this process. */
import { assert } from "../base/assert.ts"
import { refusalLog } from "../authn/refusal-log.ts"
import type { OperationStep, Step } from "../http/env.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { ServerParts } from "../server-parts.ts"
import { audit, auditBegin } from "./audit.ts"
import { auditInit } from "./audit-init.ts"
import { authentication } from "./authentication.ts"
import { authorization } from "./authorization.ts"
import { cacheControl } from "./cache-control.ts"
import { cors } from "./cors.ts"
import { deadline } from "./deadline.ts"
import { goaway } from "./goaway.ts"
import { hsts } from "./hsts.ts"
import { httpLogging } from "./http-logging.ts"
import { impersonation } from "./impersonation.ts"
import { maxInFlight } from "./max-in-flight.ts"
import { requestCounts } from "./request-counts.ts"
import { requestInfo } from "./request-info.ts"
import { retryAfter } from "./retry-after.ts"
import { vendorHint } from "./vendor-hint.ts"
import { waitGroup } from "./wait-group.ts"

/** Answers a request with an error. */
type Fail = (request: RequestContext, error: unknown) => void

/** The steps that each request of a connection passes. Called once per application. */
export function connectionSteps(parts: ServerParts, fail: Fail): readonly Step[] {
  return filterChain(parts, fail).map(({ step }) => step)
}

/** The steps that each operation of a program in this process passes. Called once per client. */
export function operationSteps(parts: ServerParts): readonly OperationStep[] {
  const noDeadline: Fail = () => assert(false, "a program limits its operations itself")
  return filterChain(parts, noDeadline).flatMap((link) => (link.of === "all" ? [link.step] : []))
}

type Link = { readonly of: "connections"; readonly step: Step } | { readonly of: "all"; readonly step: OperationStep }

function ofConnections(step: Step): Link {
  return { of: "connections", step }
}

function ofAll(step: OperationStep): Link {
  return { of: "all", step }
}

/**
 * A request passes the steps from top to bottom, in the order of kube-apiserver. docs/ARCHITECTURE.md lists the
 * differences. A step that the options leave without work is left out. Operations of programs have neither header
 * fields nor a connection, and their user is known.
 */
function filterChain(parts: ServerParts, fail: Fail): readonly Link[] {
  const { vendor, clock, options, random } = parts
  const audited = parts.audit
  const directives = options["strict-transport-security-directives"]
  const chance = options["goaway-chance"]
  const allowedOrigins = options["cors-allowed-origins"]
  return [
    ofConnections(auditInit({ random })),
    ofConnections(requestInfo()),
    ofConnections(requestCounts({ counts: parts.requestCounts, clock })),
    ...when(parts.log.isLevelEnabled("debug"), () => ofConnections(httpLogging({ clock, log: parts.log }))),
    ...when(options["shutdown-send-retry-after"], () => ofConnections(retryAfter({ rejecting: parts.rejecting }))),
    ...when(directives.length > 0, () => ofConnections(hsts({ directives }))),
    ofConnections(cacheControl()),
    ...when(chance > 0, () => ofConnections(goaway({ chance, random }))),
    ofConnections(waitGroup({ requests: parts.inFlight })),
    ...(audited === undefined ? [] : [ofAll(auditBegin({ audit: audited }))]),
    ofConnections(deadline({ clock, requestTimeoutMs: options["request-timeout"], fail })),
    ...when(vendor.name !== "kubernetes", () => ofConnections(vendorHint({ vendor }))),
    ...when(allowedOrigins.length > 0, () => ofConnections(cors({ allowedOrigins }))),
    ofConnections(
      authentication({
        authenticators: parts.authenticators,
        anonymous: options["anonymous-auth"],
        closesStrangers: options["feature-gates"].UnauthenticatedHTTP2DOSMitigation === true,
        audiences: parts.audiences,
        vendor,
        removeHeaders: parts.removeHeaders,
        meter: parts.accessMetrics.authentication,
        onFault: refusalLog({ clock, log: parts.log }),
      }),
    ),
    ...(audited === undefined ? [] : [ofAll(audit())]),
    ofConnections(impersonation({ authorizers: parts.authorizers })),
    ofConnections(
      maxInFlight({
        requests: parts.inFlight,
        readOnlyMax: options["max-requests-inflight"],
        mutatingMax: options["max-mutating-requests-inflight"],
      }),
    ),
    ofAll(authorization({ authorizers: parts.authorizers, meter: parts.accessMetrics.authorization })),
  ]
}

function when(condition: boolean, make: () => Link): readonly Link[] {
  return condition ? [make()] : []
}
