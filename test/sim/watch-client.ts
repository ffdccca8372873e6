/** The client of one watch: reads it at its own pace, and records the events. */
import type { IncomingMessage } from "node:http"
import type { Content, WatchedEvent, WatchRecord } from "./history.ts"
import { contentOf, type Shown } from "./truth.ts"

export interface WatchTold {
  readonly note: (text: string) => void
  readonly compacted: () => number
  readonly elapsedMs: () => number
  /** The parts of an object that the check compares; default: the parts of a ConfigMap. */
  readonly contentOf?: (object: Shown) => Content
  /** Statuses with which the watch may be refused, besides statuses that faults cause. Default: none. */
  readonly accepts?: (status: number) => boolean
  readonly complain: (text: string) => void
  readonly over: () => void
  readonly seen: (event: WatchedEvent) => void
}

/** One watch, read at its client's pace. */
export class OpenWatch {
  following = false
  private response: IncomingMessage | undefined
  private rest = ""
  private left = false
  private slow = false

  constructor(
    readonly record: WatchRecord,
    private readonly told: WatchTold,
  ) {}

  follow(response: IncomingMessage): void {
    if (this.left) {
      response.destroy()
      return
    }
    this.following = true
    this.response = response
    if (response.statusCode !== 200 && ![429, 503, 504].includes(response.statusCode ?? 0)) {
      if (response.statusCode === 410) this.gone()
      else if (this.told.accepts?.(response.statusCode ?? 0) !== true)
        this.told.complain(`watch ${this.record.id} was answered with ${response.statusCode}`)
    }
    if (response.statusCode !== 200) return this.leave()
    response.on("data", (chunk: Buffer) => this.read(chunk.toString()))
    response.on("error", () => undefined)
    response.once("close", () => this.leave())
    response.once("end", () => {
      if (!this.left) this.record.endedMs = this.told.elapsedMs()
      this.leave()
    })
    if (this.slow) response.pause()
  }

  pause(): void {
    this.slow = true
    this.response?.pause()
  }

  unpause(): void {
    this.slow = false
    this.response?.resume()
  }

  leave(): void {
    if (this.left) return
    this.left = true
    this.following = false
    if (this.record.state === "live") this.record.state = "ended"
    this.response?.destroy()
    this.told.over()
  }

  private read(text: string): void {
    const lines = (this.rest + text).split("\n")
    this.rest = lines.pop() ?? ""
    for (const line of lines) if (!this.left && line !== "") this.line(JSON.parse(line))
  }

  private line({ type, object }: { type: string; object: Shown & { code?: number; message?: string } }): void {
    this.told.note(
      `${this.record.id} ${type} ${object.metadata.name ?? ""}@${object.metadata.resourceVersion ?? `${object.code} ${object.message}`}`,
    )
    if (type === "ERROR") {
      if (object.code === 410) this.gone()
      else if (![429, 503, 504].includes(object.code ?? 0)) this.told.complain(`watch ${this.record.id} got ${JSON.stringify(object)}`)
      return this.leave()
    }
    const event = eventOf(type, object, this.told.contentOf ?? contentOf)
    if (event === undefined) return this.told.complain(`watch ${this.record.id} got an event of the unknown type ${type}`)
    this.record.events.push(event)
    this.told.seen(event)
  }

  private gone(): void {
    this.record.state = "gone"
    this.record.goneAtCompacted = this.told.compacted()
  }
}

function eventOf(
  type: string,
  object: Shown & { metadata: { annotations?: Readonly<Record<string, string>> } },
  read: (object: Shown) => Content,
): WatchedEvent | undefined {
  if (type === "BOOKMARK") {
    const marks = Object.entries(object.metadata.annotations ?? {})
    const initialEnd = marks.some(([name, value]) => name.endsWith("initial-events-end") && value === "true")
    return { type, version: Number(object.metadata.resourceVersion), initialEnd }
  }
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return undefined
  return { type, name: object.metadata.name ?? "", content: read(object) }
}

/** Revision from which this watch can be resumed; undefined: none, as during the initial events. */
export function resumePoint({ after, events }: Pick<WatchRecord, "after" | "events">): number | undefined {
  if (after === undefined && !events.some((event) => event.type === "BOOKMARK" && event.initialEnd)) return undefined
  const last = events.at(-1)
  if (last === undefined) return after
  return last.type === "BOOKMARK" ? last.version : last.content.version
}
