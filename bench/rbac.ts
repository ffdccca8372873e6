/**
 * How long does a decision of the mode RBAC take, with ten thousand bindings? Users are bound one by one, or all of
 * them through one group. Times come from the fastest of many short rounds.
 * Run: npm run bench -- rbac
 */
import { rbacAuthorizer } from "../runtime/authz/rbac/rbac.ts"
import { RbacPolicy } from "../runtime/authz/rbac/policy.ts"
import { atOnce } from "../runtime/base/turns.ts"
import type { User } from "../runtime/base/user.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import { parseRequestInfo } from "../runtime/http/request/info.ts"
import { openOptions } from "./support/options.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const bindings = options.number("bindings", { small: 1000, full: 10_000 })
const rounds = options.number("rounds", { small: 20, full: 200 })
const requests = options.number("requests", { small: 1000, full: 5000 })
options.done()

const vendor = vendorProfile("kubernetes")
const resources = Array.from({ length: 20 }, (_, index) => `resource${index}`)
const rule = { verbs: ["get", "list", "watch"], apiGroups: ["", "apps"], resources: ["pods", ...resources] }
const others = resources.map((resource) => ({ verbs: ["get"], apiGroups: ["apps"], resources: [resource] }))

function policyOf(subject: (index: number) => { kind: string; name: string }, scope: (index: number) => string): RbacPolicy {
  const policy = new RbacPolicy(vendor)
  for (let index = 0; index < 100; index++) atOnce(policy.putRole({ namespace: "", name: `role${index}` }, [...others, rule]))
  for (let index = 0; index < bindings; index++)
    atOnce(
      policy.putBinding(
        { namespace: scope(index), name: `binding${index}` },
        { roleRef: { kind: "ClusterRole", name: `role${index % 100}` }, subjects: [subject(index)] },
      ),
    )
  return policy
}

const jane: User = { name: "user7", groups: ["devs", "ops", "system:authenticated"], extra: {} }
const cases = {
  "a binding each, everywhere": policyOf(
    (index) => ({ kind: "User", name: `user${index}` }),
    () => "",
  ),
  "a binding each, in a namespace": policyOf(
    (index) => ({ kind: "User", name: `user${index}` }),
    () => "default",
  ),
  "all to one group, in as many namespaces": policyOf(
    () => ({ kind: "Group", name: "devs" }),
    (index) => (index === 7 ? "default" : `n${index}`),
  ),
  "all to one group, everywhere": policyOf(
    () => ({ kind: "Group", name: "devs" }),
    () => "",
  ),
}
const asked = {
  allowed: parseRequestInfo({ method: "GET", path: "/api/v1/namespaces/default/pods/p", watch: false, vendor }),
  "refused, the verb": parseRequestInfo({ method: "DELETE", path: "/api/v1/namespaces/default/pods/p", watch: false, vendor }),
  "refused, the resource": parseRequestInfo({ method: "GET", path: "/api/v1/namespaces/default/secrets/s", watch: false, vendor }),
  "refused, the group": parseRequestInfo({ method: "GET", path: "/apis/batch/v1/namespaces/default/pods/p", watch: false, vendor }),
}

for (const [name, policy] of Object.entries(cases)) {
  const decide = rbacAuthorizer(policy)
  for (const [outcome, info] of Object.entries(asked)) {
    const request = { user: jane, info }
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) {
      const start = process.hrtime.bigint()
      for (let index = 0; index < requests; index++) decide(request)
      best = Math.min(best, Number(process.hrtime.bigint() - start) / requests / 1000)
    }
    printRow({ bindings: name, outcome, "µs per decision": Number(best.toFixed(2)) })
  }
}
