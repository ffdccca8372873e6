/** The receiving end of one watch: frames as they come, JSON lines or compact messages. */
import { setImmediate } from "node:timers/promises"
import type { VendorName } from "../../../runtime/base/vendor.ts"
import type { OpenAnswer } from "../../support/http-client.ts"
import { decodeCompactFrame } from "./encoding.ts"

export class WatchStream {
  readonly headers: OpenAnswer["headers"]
  private rest = Buffer.alloc(0)
  private readonly frames: Buffer[] = []
  private over = false
  private readonly compact: boolean

  constructor(
    private readonly open: OpenAnswer,
    private readonly vendor: VendorName,
  ) {
    this.headers = open.headers
    this.compact = !String(open.headers["content-type"]).startsWith("application/json")
    open.body.on("data", (chunk: Buffer) => this.take(chunk))
    const end = () => {
      this.over = true
    }
    open.body.on("end", end).on("error", end).on("close", end)
  }

  /** The next `count` events. Throws when the stream ends before; the runner's time limit ends a wait in vain. */
  async next(count: number): Promise<unknown[]> {
    while (this.frames.length < count && !this.over) await setImmediate()
    const taken = this.frames.splice(0, count)
    const events = await Promise.all(
      taken.map((frame) => (this.compact ? decodeCompactFrame(frame, this.vendor) : JSON.parse(frame.toString("utf8")))),
    )
    if (events.length < count) throw new Error(`the watch ended after ${JSON.stringify(events)}; ${count} events were expected`)
    return events
  }

  /** Waits for the end of the stream. Throws when events arrived that no step expected. */
  async ended(): Promise<void> {
    while (!this.over) await setImmediate()
    if (this.frames.length > 0) throw new Error(`the watch ended with events that nobody asked for: ${this.frames.map(String).join("")}`)
  }

  close(): void {
    this.open.destroy()
  }

  private take(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk])
    for (let frame = this.cut(); frame !== undefined; frame = this.cut()) this.frames.push(frame)
  }

  private cut(): Buffer | undefined {
    const start = this.compact ? 4 : 0
    const newline = this.rest.indexOf(0x0a)
    const end = this.compact ? (this.rest.length < 4 ? -1 : 4 + this.rest.readUInt32BE(0)) : newline < 0 ? -1 : newline + 1
    if (end < 0 || end > this.rest.length) return undefined
    const frame = this.rest.subarray(start, end)
    this.rest = this.rest.subarray(end)
    return frame
  }
}
