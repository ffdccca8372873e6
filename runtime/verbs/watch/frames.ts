/** Watch frames in the negotiated format. A frame is encoded once per event and format, and shared by all watchers. */
import type { ApiError } from "../../base/errors.ts"
import { stringify } from "../../encoding/json/text.ts"
import { normalize } from "../../encoding/normalize.ts"
import type { KindHandle } from "../../registry/registry.ts"
import type { SeenEvent } from "../../registry/watch.ts"
import { encodeStatus } from "../../wire/send.ts"
import { failureStatus } from "../../wire/status.ts"
import { protobufFrame, jsonFrame, type WatchEventType } from "../../wire/watch-frames.ts"
import { type ResourceRequest, checkFormat, type ResponseFormat } from "../call.ts"
import { partialEnvelope, partialJson, type RenderedRequest, tableOf, tableOptions } from "../render.ts"
import { protobufOf, freshVersion, jsonOf, type ObjectVersion } from "../represent.ts"

/** `Frame`: bytes, or an item of the iteration of a program in this process. */
export interface Framer<Frame = Buffer> {
  /** One frame for each event, in order. */
  events(events: readonly SeenEvent[]): readonly Frame[]
  /** `initial`: marks the end of the initial events of a streamed list. */
  bookmark(revision: number, initial: boolean): Frame
  /** The last frame of a watch that ends early. */
  error(error: ApiError): Frame
  /** Approximate cost of a frame for each watcher, in microseconds. */
  readonly workPerEvent: number
}

/** A shared frame is looked up among the object's encodings. A Table is rendered for each watcher. */
const sharedFrameWork = 1
const tableFrameWork = 60

/** Called once per watch. Throws 400 for table options, 406 for a format that does not apply to single objects. */
export function frames(call: ResourceRequest, format: ResponseFormat): Framer {
  if (format.as?.kind === "Table") return tableFramer(call, format)
  checkFormat(call, format, { list: false })
  const framers = sharedFramers.get(call.handle) ?? new Map<string, Framer>()
  sharedFramers.set(call.handle, framers)
  const name = formName(call.handle, format)
  const framer = framers.get(name) ?? sharedFramer({ handle: call.handle, parts: call.parts }, format, name)
  framers.set(name, framer)
  return framer
}

/** One framer for all watchers of a kind in one format, so that they share bookmarks as well as events. */
const sharedFramers = new WeakMap<KindHandle, Map<string, Framer>>()

/** Prefix of the key for frames in this format among the encodings of an object. */
function formName(handle: KindHandle, { media, as }: ResponseFormat): string {
  return as === undefined ? `frame:${media}:${handle.apiVersion}` : `frame:${media}:partial:${as.version}`
}

function sharedFramer(shown: RenderedRequest, { media, as, ...rest }: ResponseFormat, name: string): Framer {
  const compact = media === "compact"
  const frame = compact ? protobufFrame : jsonFrame
  const format: ResponseFormat = { ...rest, media, ...(as !== undefined && { as }) }
  const framesOfBatch = new WeakMap<readonly SeenEvent[], readonly Buffer[]>()
  const bytes = (version: ObjectVersion): Buffer => {
    if (as !== undefined) return compact ? partialEnvelope(shown, format, version) : partialJson(shown, format, version)
    return compact ? protobufOf(shown.handle, version) : jsonOf(shown.handle, version)
  }
  const names = { ADDED: `${name}:ADDED`, MODIFIED: `${name}:MODIFIED`, DELETED: `${name}:DELETED` } as const
  let latest: { revision: number; frame: Buffer } = { revision: 0, frame: Buffer.alloc(0) }
  return {
    workPerEvent: sharedFrameWork,
    events(events) {
      let frames = framesOfBatch.get(events)
      if (frames === undefined) {
        frames = events.map(({ type, object }) => object.derived(names[type], () => frame(type, bytes(object))))
        framesOfBatch.set(events, frames)
      }
      return frames
    },
    bookmark(revision, initial) {
      if (initial) return frame("BOOKMARK", bytes(bookmarkVersion(shown, revision, true)))
      if (latest.revision !== revision) latest = { revision, frame: frame("BOOKMARK", bytes(bookmarkVersion(shown, revision, false))) }
      return latest.frame
    },
    error(error) {
      const status = failureStatus(error, shown.parts.vendor)
      return frame("ERROR" satisfies WatchEventType, compact ? encodeStatus("compact", status) : Buffer.from(stringify(status)))
    },
  }
}

/** Tables belong to one watcher: they contain ages, and only the first of a stream has column definitions. */
function tableFramer(call: ResourceRequest, format: ResponseFormat): Framer {
  const { handle, parts } = call
  const options = tableOptions(call, format)
  let noHeaders = false
  const table = (version: ObjectVersion): Buffer => {
    const text = stringify(tableOf(handle, version, { ...options, nowMs: parts.clock.nowMs(), noHeaders }))
    noHeaders = true
    return Buffer.from(text)
  }
  return {
    workPerEvent: tableFrameWork,
    events: (events) => events.map(({ type, object }) => jsonFrame(type, table(object))),
    bookmark: (revision, initial) => jsonFrame("BOOKMARK", table(bookmarkVersion({ handle, parts }, revision, initial))),
    error: (error) => jsonFrame("ERROR", Buffer.from(stringify(failureStatus(error, parts.vendor)))),
  }
}

/** An object of the kind with nothing but a resourceVersion. An annotation marks the end of initial events. */
function bookmarkVersion({ handle, parts }: RenderedRequest, revision: number, initial: boolean): ObjectVersion {
  const annotations = initial ? { annotations: { [`${parts.vendor.groupDomain}/initial-events-end`]: "true" } } : {}
  const bare = {
    kind: handle.kind.kind,
    apiVersion: handle.apiVersion,
    metadata: { resourceVersion: String(revision), creationTimestamp: null, ...annotations },
  }
  return freshVersion(handle, { object: normalize(handle.parts.shape, bare).object })
}
