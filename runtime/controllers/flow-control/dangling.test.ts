import { afterEach, expect, test } from "vitest"
import { openRegistry } from "../../../test/support/open-registry.ts"
import { serverUser } from "../../admission/server-identity.ts"
import type { Controller } from "../controller.ts"
import { startDanglingConditions } from "./dangling.ts"
import { ensureFlowControl } from "./keep-objects.ts"

const running: Controller[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

test("each FlowSchema says whether its priority level exists", async () => {
  const one = await openRegistry({})
  running.push({ stop: () => one.close() })
  await ensureFlowControl(one)
  const controller = startDanglingConditions(one)
  running.unshift(controller)
  await controller.made
  const { flowschemas, prioritylevelconfigurations: levels } = one.api(serverUser).flowcontrol.v1
  for (const { status } of (await flowschemas.list()).items)
    expect(status.conditions).toMatchObject([{ type: "Dangling", status: "False" }])
  const spec = { matchingPrecedence: 9000, priorityLevelConfiguration: { name: "mine" } }
  await flowschemas.create({ metadata: { name: "own" }, spec })
  const says = (status: string, reason: string, end: string): Promise<void> => {
    const message = `This FlowSchema references the PriorityLevelConfiguration object named "mine" ${end}`
    return expect
      .poll(async () => (await flowschemas.get("own")).status.conditions)
      .toMatchObject([{ type: "Dangling", status, reason, message }])
  }
  await says("True", "NotFound", "but there is no such object")
  await levels.create({ metadata: { name: "mine" }, spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } })
  await says("False", "Found", "and it exists")
  await levels.delete("mine")
  await says("True", "NotFound", "but there is no such object")
  expect(one.logged).toEqual([])
})
