/** Events that controllers write for users: actions and failures for an object. */
import type { EventInput } from "../../generated/core/v1/event/types.ts"
import { ApiError } from "../base/errors.ts"
import { timeText } from "../base/time.ts"
import type { ControllerDeps } from "./controller.ts"
import type { controllerUser } from "../admission/server-identity.ts"
import type { Written } from "../schema/handlers.ts"

/** The object that an Event is about; `apiVersion` in wire form. */
export interface Regarding {
  readonly kind: string
  readonly apiVersion: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export interface Report {
  readonly user: ReturnType<typeof controllerUser>
  /** The name of the controller in the reference. */
  readonly component: string
  readonly regarding: Regarding
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** The reference's limit on `message`. */
const messageCharactersMax = 1024
/** Leaves room for the suffix that makes the name unique. */
const nameCharactersMax = 200

/** Best effort: a refused Event, as in a terminating namespace, is dropped. */
export async function recordEvent({ registry, api }: Pick<ControllerDeps, "api" | "registry">, report: Report): Promise<void> {
  if (registry.deps.kinds.find("", "v1", "events") === undefined) return
  const { regarding, user } = report
  try {
    await api(user).core.v1.events.create(regarding.namespace === "" ? "default" : regarding.namespace, eventOf(registry, report))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

function eventOf({ deps }: ControllerDeps["registry"], { regarding, component, type, reason, message }: Report): Written<EventInput> {
  const { clock, random } = deps
  const now = timeText(clock.nowMs())
  const { kind, apiVersion, namespace, name, uid } = regarding
  return {
    metadata: { name: `${name.slice(0, nameCharactersMax)}.${random.bytes(8).toString("hex")}` },
    involvedObject: { kind, apiVersion, name, uid, ...(namespace !== "" && { namespace }) },
    reason,
    message: message.slice(0, messageCharactersMax),
    type,
    source: { component },
    reportingComponent: component,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  }
}
