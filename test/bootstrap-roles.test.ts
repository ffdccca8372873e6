/** The roles that come with the mode RBAC, whichever controllers run and whichever server of a store runs them. */
import { expect, it, onTestFinished } from "vitest"
import { api } from "../generated/index.ts"
import { optionTable } from "../runtime/options/table.ts"
import type { User } from "../runtime/base/user.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { createHttpClient } from "./support/http-client.ts"
import { adminToken, type InProcess, type InProcessOptions, startInProcess } from "./support/in-process.ts"

const jane: User = { name: "jane", groups: ["system:authenticated"], extra: {} }
const admin: User = { name: "admin", groups: ["system:masters"], extra: {} }

async function started(options: Partial<InProcessOptions>): Promise<InProcess> {
  const running = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    authorizationModes: ["RBAC"],
    controllers: [],
    users: [jane],
    ...options,
  })
  onTestFinished(() => running.stop())
  return running
}

async function status(at: InProcess, path: string, token: string): Promise<number> {
  const client = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
  const answer = await client.send({ method: "GET", path, headers: { authorization: `Bearer ${token}` } })
  client.close()
  return answer.status
}

const rolesOf = ({ server }: InProcess) => api(inProcessClient(server.parts, admin)).rbac.v1.clusterroles

it.each([[[]], [["serviceaccount-controller"]], [["api"]]])("are there with --controllers=%j", async (controllers) => {
  const at = await started({ controllers })
  expect((await rolesOf(at).list()).items).toHaveLength(64)
  expect(await status(at, "/apis", "jane")).toBe(200)
  expect(await status(at, "/readyz/poststarthook/rbac/bootstrap-roles", adminToken)).toBe(200)
  // A controller manager unites the rules.
  const edit = await rolesOf(at).get("edit")
  expect([edit.rules ?? [], edit.aggregationRule?.clusterRoleSelectors]).toEqual([
    [],
    [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" } }],
  ])
})

it("are united when a server with the controllers of the default is ready", async () => {
  const at = await started({ controllers: optionTable.controllers.default })
  for (const name of ["admin", "edit", "view"]) expect((await rolesOf(at).get(name)).rules?.length ?? 0, name).toBeGreaterThan(5)
})

it("do not come with other modes", async () => {
  const at = await started({ authorizationModes: ["AlwaysAllow"], controllers: ["api"] })
  expect((await rolesOf(at).list()).items).toEqual([])
})

it("are made by a server that does not lead, and completed by one that starts later", async () => {
  const leader = await started({ sharedStore: true, authorizationModes: ["AlwaysAllow"], controllers: ["api"] })
  const other = { sharedStore: true, wrapStore: () => leader.store }
  const second = await started(other)
  expect((await rolesOf(second).list()).items).toHaveLength(64)
  expect(await status(second, "/apis", "jane")).toBe(200)
  await rolesOf(second).delete("system:basic-user")
  const third = await started(other)
  expect(await status(third, "/apis", "jane")).toBe(200)
  await expect
    .poll(async () => {
      third.clock.advance(1000)
      return (await rolesOf(third).list()).items.length
    })
    .toBe(64)
})
