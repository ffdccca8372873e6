import { afterEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { ensureFlowControl } from "./keep-objects.ts"

const opened: OpenRegistry[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const annotation = "apf.orch.io/autoupdate-spec"

async function open(): Promise<OpenRegistry> {
  const one = await openRegistry({})
  opened.push(one)
  await ensureFlowControl(one)
  return one
}

async function change(one: OpenRegistry, name: string, spec: object, annotations?: object): Promise<void> {
  await one.update("flowschemas", name, (old) => ({
    ...old,
    metadata: { ...old.metadata, ...(annotations && { annotations: { ...annotations } }) },
    spec: { ...(old.spec as object), ...spec },
  }))
}

test("makes all levels and schemas once", async () => {
  const one = await open()
  expect(await one.names("prioritylevelconfigurations")).toEqual([
    "catch-all",
    "exempt",
    "global-default",
    "leader-election",
    "node-high",
    "system",
    "workload-high",
    "workload-low",
  ])
  expect(await one.names("flowschemas")).toHaveLength(13)
  expect(await one.get("flowschemas", "system-node-high")).toMatchObject({
    metadata: { annotations: { [annotation]: "true" }, generation: 1 },
    spec: { matchingPrecedence: 400, rules: [{ resourceRules: [{ resources: ["nodes", "nodes/status"], clusterScope: true }, {}] }] },
  })
  const before = await one.store.revision()
  await ensureFlowControl(one)
  expect(await one.store.revision()).toBe(before)
})

test("suggested schemas are the user's to change, once their annotation says so", async () => {
  const one = await open()
  await change(one, "probes", { matchingPrecedence: 3 })
  await ensureFlowControl(one)
  expect(await one.get("flowschemas", "probes")).toMatchObject({ spec: { matchingPrecedence: 2 } })
  await change(one, "probes", { matchingPrecedence: 3 }, { [annotation]: "false" })
  await ensureFlowControl(one)
  expect(await one.get("flowschemas", "probes")).toMatchObject({ spec: { matchingPrecedence: 3 } })
})

test("an annotation that is missing tells whether a user has changed the object", async () => {
  const one = await open()
  await change(one, "probes", { matchingPrecedence: 3 }, {})
  await one.update("flowschemas", "service-accounts", (old) => ({ ...old, metadata: { ...old.metadata, annotations: { a: "b" } } }))
  await ensureFlowControl(one)
  expect(await one.get("flowschemas", "probes")).toMatchObject({
    metadata: { annotations: { [annotation]: "false" } },
    spec: { matchingPrecedence: 3 },
  })
  expect(await one.get("flowschemas", "service-accounts")).toMatchObject({ metadata: { annotations: { a: "b", [annotation]: "true" } } })
})

test("mandatory objects cannot be changed, but what the level exempt reserves can", async () => {
  const one = await open()
  await expect(change(one, "catch-all", { matchingPrecedence: 9 })).rejects.toThrow("spec of 'catch-all' must equal the fixed value")
  const shares = (nominalConcurrencyShares: number): Promise<unknown> =>
    one.update("prioritylevelconfigurations", "exempt", (old) => ({
      ...old,
      spec: { type: "Exempt", exempt: { nominalConcurrencyShares, lendablePercent: 50 } },
    }))
  await shares(10)
  await ensureFlowControl(one)
  expect(await one.get("prioritylevelconfigurations", "exempt")).toMatchObject({
    spec: { exempt: { nominalConcurrencyShares: 10, lendablePercent: 50 } },
  })
})

test("objects that are missing are made again, and those that the server suggests no more go", async () => {
  const one = await open()
  const { flowschemas } = one.api(serverUser).flowcontrol.v1
  await flowschemas.delete("exempt")
  await flowschemas.delete("probes")
  const spec = { priorityLevelConfiguration: { name: "system" } }
  await flowschemas.create({ metadata: { name: "of-an-old-release", annotations: { [annotation]: "true" } }, spec })
  await flowschemas.create({ metadata: { name: "of-a-user" }, spec })
  await ensureFlowControl(one)
  const names = await one.names("flowschemas")
  expect(names).toHaveLength(14)
  expect(names).toEqual(expect.arrayContaining(["exempt", "probes", "of-a-user"]))
})
