/**
 * Requests for certificates: the server says who asks, and when conditions were written (catalog defaults.yaml:
 * CertificateSigningRequest).
 */
import { timeText } from "../base/time.ts"
import { defineBehaviour } from "../schema/define.ts"
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from "../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"
import { approvals } from "./certificates/approvals.ts"

/** Behaviour `signingRequest`. */
export const signingRequest = defineBehaviour<CertificateSigningRequest>(({ clock }) => ({
  prepareCreate(object, { user }) {
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = object.spec
    object.spec = {
      ...spec,
      ...(user !== undefined && { username: user.name }),
      ...(user?.uid !== undefined && { uid: user.uid }),
      ...(user !== undefined && user.groups.length > 0 && { groups: [...user.groups] }),
      ...(user !== undefined && Object.keys(user.extra).length > 0 && { extra: copied(user.extra) }),
    }
  },
  prepareUpdate(object, old, { subresource }) {
    if (subresource === undefined || object.status.conditions === undefined) return
    const before = old.status.conditions ?? []
    const kept = subresource === "status" ? withDecisions(object.status.conditions, before) : object.status.conditions
    object.status = { ...object.status, conditions: timed(kept, before, timeText(clock.nowMs())) }
  },
}))

function copied(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]))
}

type Conditions = NonNullable<CertificateSigningRequestStatus["conditions"]>

/**
 * A write of /status keeps each decision as it was. Validation refuses a decision that the write adds or leaves out.
 */
function withDecisions(conditions: Conditions, before: Conditions): Conditions {
  let kept = conditions
  for (const type of approvals) {
    const decided = before.filter((condition) => condition.type === type)
    if (kept.filter((condition) => condition.type === type).length !== decided.length) continue
    const next = decided.values()
    kept = kept.map((condition) => (condition.type === type ? (next.next().value ?? condition) : condition))
  }
  return kept
}

function timed(conditions: Conditions, before: Conditions, now: string): CertificateSigningRequestCondition[] {
  const known = new Map<string, CertificateSigningRequestCondition>()
  for (const condition of before) if (!known.has(stateOf(condition))) known.set(stateOf(condition), condition)
  return conditions.map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? known.get(stateOf(condition))?.lastTransitionTime ?? now,
  }))
}

function stateOf({ type, status }: CertificateSigningRequestCondition): string {
  return JSON.stringify([type, status])
}
