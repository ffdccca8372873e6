/** Watch frames in the representation a client asked for. A frame is made once per event and version, and shared by all its watchers. */
import type { ApiObject } from "../kit/json.ts"
import { stringify } from "../kit/json-text.ts"
import { normalize } from "../kit/normalize.ts"
import type { SeenEvent } from "../registry/watch.ts"
import { encodeStatus } from "../wire/send.ts"
import { compactFrame, jsonFrame, type WatchEventType } from "../wire/watch-frames.ts"
import type { Call, Wanted } from "./call.ts"
import { partialEnvelope, partialJson, tableOf } from "./render.ts"
import { compactOf, freshVersion, jsonOf, type Version } from "./represent.ts"

export interface Framer {
  event(event: SeenEvent): Buffer
  /** `initial`: ends the initial events of a streamed list. */
  bookmark(revision: number, initial: boolean): Buffer
  error(status: ApiObject): Buffer
}

/** Called once per watch. */
export function frames(call: Call, wanted: Wanted): Framer {
  const frame = wanted.media === "compact" ? compactFrame : jsonFrame
  const form = framedForm(call, wanted)
  return {
    event: ({ type, object }) =>
      form.shared === undefined
        ? frame(type, form.bytes(object))
        : object.derived(`${form.shared}:${type}`, () => frame(type, form.bytes(object))),
    bookmark: (revision, initial) => frame("BOOKMARK", form.bytes(bookmarkVersion(call, revision, initial))),
    error: (status) =>
      frame(
        "ERROR" satisfies WatchEventType,
        wanted.media === "compact" ? encodeStatus("compact", status) : Buffer.from(stringify(status)),
      ),
  }
}

interface FramedForm {
  /** Name of the frame among an object's forms; absent: made for one watcher alone. */
  readonly shared?: string
  readonly bytes: (version: Version) => Buffer
}

function framedForm(call: Call, wanted: Wanted): FramedForm {
  const { handle } = call
  if (wanted.as?.kind === "Table") return tableFrames(call, wanted)
  if (wanted.as !== undefined) {
    const bytes = wanted.media === "compact" ? partialEnvelope : partialJson
    return { shared: `frame:${wanted.media}:partial:${wanted.as.version}`, bytes: (version) => bytes(call, wanted, version) }
  }
  const bytes = wanted.media === "compact" ? compactOf : jsonOf
  return { shared: `frame:${wanted.media}:${handle.apiVersion}`, bytes: (version) => bytes(handle, version) }
}

/** Only the first table of a stream has column definitions. */
function tableFrames(call: Call, wanted: Wanted): FramedForm {
  let first = true
  return {
    bytes: (version) => {
      const table = Buffer.from(stringify(tableOf(call, wanted, version, !first)))
      first = false
      return table
    },
  }
}

/** An empty object of the kind at a version; the end of initial events is told by an annotation. */
function bookmarkVersion(call: Call, revision: number, initial: boolean): Version {
  const { handle, parts } = call
  const annotations = initial ? { annotations: { [`${parts.vendor.group("orch.io")}/initial-events-end`]: "true" } } : {}
  const bare = {
    kind: handle.kind.kind,
    apiVersion: handle.apiVersion,
    metadata: { resourceVersion: String(revision), creationTimestamp: null, ...annotations },
  }
  return freshVersion(handle, { object: normalize(handle.parts.shape, bare).object })
}
