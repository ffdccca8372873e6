import { expect, test } from "vitest"
import { openRegistry } from "../../../test/support/open-registry.ts"
import type { ApiObject } from "../../base/json.ts"

const pod = (name: string, securityContext: object, more: object = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name },
  spec: { containers: [{ name: "c", image: "i", securityContext: { ...securityContext } }], ...more },
})
const windows = { windowsOptions: { hostProcess: true } }

test("containers with the rights of their node are refused where the operator says so", async () => {
  const one = await openRegistry({ behaviourOptions: { "allow-privileged": false } })
  await expect(one.create("pods", pod("a", { privileged: true }))).rejects.toThrow(
    "spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy",
  )
  await expect(one.create("pods", pod("b", windows, { hostNetwork: true }))).rejects.toThrow(
    "spec: Forbidden: hostProcess containers are disallowed by cluster policy",
  )
  await one.create("pods", pod("c", { privileged: false }))
  await one.close()
})

test("they are accepted by default, and their status is written whatever the operator says later", async () => {
  const one = await openRegistry({})
  await one.create("pods", pod("a", { privileged: true }))
  const strict = await openRegistry({ store: one.store, clock: one.clock, behaviourOptions: { "allow-privileged": false } })
  const running = { subresource: "status" }
  const written = await strict.update("pods", "default/a", (old) => ({ ...old, status: { phase: "Running" } }), running)
  expect(written.status).toMatchObject({ phase: "Running" })
  await strict.close()
  await one.close()
})
