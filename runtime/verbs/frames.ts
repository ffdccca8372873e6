/** Watch frames in the representation a client asked for. A frame is made once per event and version, and shared by all its watchers. */
import type { ApiObject } from "../kit/json.ts"
import { stringify } from "../kit/json-text.ts"
import type { SeenEvent } from "../registry/watch.ts"
import type { Call, Wanted } from "./call.ts"
import { jsonOf } from "./represent.ts"

export interface Framer {
  readonly contentType: string
  event(event: SeenEvent): Buffer
  /** `initial`: ends the initial events of a streamed list. */
  bookmark(revision: number, initial: boolean): Buffer
  error(status: ApiObject): Buffer
}

export function frames(call: Call, wanted: Wanted): Framer {
  const { handle, parts } = call
  const head = Object.fromEntries((["ADDED", "MODIFIED", "DELETED"] as const).map((type) => [type, Buffer.from(`{"type":"${type}","object":`)]))
  const tail = Buffer.from("}\n")
  const frame = (type: string, object: Buffer) => Buffer.concat([head[type] ?? Buffer.from(`{"type":"${type}","object":`), object, tail])
  return {
    contentType: wanted.contentType,
    event: ({ type, object }) => object.derived(`frame:${type}:${handle.apiVersion}`, () => frame(type, jsonOf(handle, object))),
    bookmark: (revision, initial) => {
      const annotations = initial ? { annotations: { [`${parts.vendor.group("orch.io")}/initial-events-end`]: "true" } } : {}
      return frame("BOOKMARK", Buffer.from(stringify({ kind: handle.kind.kind, apiVersion: handle.apiVersion, metadata: { resourceVersion: String(revision), creationTimestamp: null, ...annotations } })))
    },
    error: (status) => frame("ERROR", Buffer.from(stringify(status))),
  }
}
