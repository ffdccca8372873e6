/**
 * Sets the condition Dangling of each FlowSchema: whether the priority level that it names is missing (catalog
 * flowcontrol.yaml: status). Shown as `MISSINGPL` in tables of FlowSchemas.
 */
import type { FlowSchema } from "../../../generated/flowcontrol.apiserver.orch.io/v1/flow-schema/types.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { timeText } from "../../base/time.ts"
import type { ControllerDeps } from "../controller.ts"
import { type KeyedController, type Keys, startKeyedController } from "../keyed-controller.ts"
import { orGone, orUndefined } from "../refusals.ts"

const group = "flowcontrol.apiserver.orch.io"
/** The manager of the condition, as in the reference. */
const fieldManager = "api-priority-and-fairness-config-consumer-v1"

/** Called once by each server, when the priority levels of the start exist. */
export function startDanglingConditions(deps: ControllerDeps): KeyedController {
  /** The level that each schema names. */
  const levels = new Map<string, string>()
  const addThoseOf = (level: string, keys: Keys): void => {
    for (const [schema, named] of levels) if (named === level) keys.add(schema)
  }
  const controller = startKeyedController(deps, {
    queue: "priority_and_fairness_config_queue",
    fault: "the condition of a FlowSchema could not be written; tried again later",
    watched: [
      {
        kind: { group, version: "v1", resource: "flowschemas" },
        changed(schema, keys, event) {
          const name = schema.field("metadata.name")
          if (event?.type === "DELETED") levels.delete(name)
          else keys.add(name)
        },
      },
      {
        kind: { group, version: "v1", resource: "prioritylevelconfigurations" },
        // At the start, the schemas themselves are queued.
        changed(level, keys, event) {
          if (event !== undefined && event.type !== "MODIFIED") addThoseOf(level.field("metadata.name"), keys)
        },
      },
    ],
    async work(name) {
      const level = await report(deps, name)
      if (level === undefined) levels.delete(name)
      else levels.set(name, level)
    },
  })
  return { ...controller, made: controller.idle() }
}

/** Returns the level that the schema names; undefined when there is no such schema. */
async function report({ api, clock }: ControllerDeps, name: string): Promise<string | undefined> {
  const { flowschemas, prioritylevelconfigurations } = api(serverUser).flowcontrol.v1
  const schema = await orUndefined(flowschemas.get(name))
  if (schema === undefined) return undefined
  const level = schema.spec.priorityLevelConfiguration.name ?? ""
  const exists = (await orUndefined(prioritylevelconfigurations.get(level))) !== undefined
  const wanted = danglingOf(level, exists)
  const before = schema.status.conditions?.find(({ type }) => type === "Dangling")
  if (before !== undefined && before.status === wanted.status && before.reason === wanted.reason && before.message === wanted.message)
    return level
  const keptTime = before?.status === wanted.status ? before?.lastTransitionTime : undefined
  const condition = { type: "Dangling", ...wanted, lastTransitionTime: keptTime ?? timeText(clock.nowMs()) }
  const { uid } = schema.metadata
  await orGone(
    flowschemas.status.apply(
      { metadata: { name, ...(uid !== undefined && { uid }) }, status: { conditions: [condition] } },
      { fieldManager, force: true },
    ),
  )
  return level
}

type Condition = NonNullable<FlowSchema["status"]["conditions"]>[number]

function danglingOf(level: string, exists: boolean): Pick<Condition, "status" | "reason" | "message"> {
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return exists
    ? { status: "False", reason: "Found", message: `${start} and it exists` }
    : { status: "True", reason: "NotFound", message: `${start} but there is no such object` }
}
