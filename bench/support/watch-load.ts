/**
 * Holds the watches of a plan open and checks their events. Runs in a load process; a thousand watchers share it, so
 * events are searched, never parsed.
 */
import type { ClientHttp2Stream } from "node:http2"
import { createHistogram } from "./histogram.ts"
import { openHttp2Client } from "./http2-client.ts"
import { type History, nextSum, nowUs, type WatchFigures, type WatchPlan } from "./load-plans.ts"
import type { Target } from "./server-process.ts"

export interface WatchLoad {
  figures(): WatchFigures
  end(): void
}

/** Bytes kept of a line that arrives in pieces: metadata and stamp are at its beginning. */
const keptBytes = 8192
const faultsMax = 20
const newline = 0x0a

interface Watcher {
  readonly number: number
  readonly bucket: number
  /** Where the watch is resumed when the server ends it. */
  version: number
  count: number
  sum: number
  initialised: boolean
  /** The beginning of an incomplete line. */
  rest: Buffer[]
  restBytes: number
}

/** Resolves when the server has answered every watch. */
export async function openWatches(target: Target, plan: WatchPlan): Promise<WatchLoad> {
  const { watchers: count, connections, buckets = 1 } = plan
  const client = openHttp2Client(target, connections)
  const lags = createHistogram()
  const faults: string[] = []
  const watchers = Array.from({ length: count }, (_, number) => newWatcher(number, number % buckets))
  let ended = false
  let resumed = 0
  let bytes = 0

  function fault(text: string): void {
    if (faults.length < faultsMax) faults.push(text)
  }

  async function open(watcher: Watcher): Promise<void> {
    const stream = await client.open(pathOf(plan, watcher))
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength
      const now = nowUs()
      for (const line of lines(watcher, chunk)) take(watcher, line, now)
    })
    whenOver(stream, () => {
      if (ended) return
      resumed++
      forgetRest(watcher)
      open(watcher).catch((error: unknown) => fault(`watcher ${watcher.number} could not go on from ${watcher.version}: ${error}`))
    })
  }

  function take(watcher: Watcher, line: Buffer, now: number): void {
    const type = String.fromCharCode(line[9] ?? 0)
    if (type === "E") return fault(`watcher ${watcher.number} got an error event: ${line.toString("utf8", 0, 300)}`)
    const version = numberAfter(line, '"resourceVersion":"')
    if (type === "B") {
      if (version < watcher.version) fault(`watcher ${watcher.number}: bookmark ${version} after ${watcher.version}`)
      if (line.includes('initial-events-end"')) watcher.initialised = true
      watcher.version = version
      return
    }
    // Initial events are ordered by name.
    if (version <= watcher.version && (watcher.initialised || !plan.path.includes("sendInitialEvents")))
      fault(`watcher ${watcher.number}: version ${version} after ${watcher.version}`)
    watcher.version = version
    watcher.count++
    watcher.sum = nextSum(watcher.sum, version)
    const stamp = numberAfter(line, '"stamp":"')
    if (stamp > 0) lags.record((now - stamp) / 1000)
  }

  await client.connected()
  await Promise.all(watchers.map(open))
  return {
    figures: () => ({
      events: watchers.reduce((sum, watcher) => sum + watcher.count, 0),
      bytes,
      lagP50Ms: lags.percentile(0.5),
      lagP99Ms: lags.percentile(0.99),
      lagMaxMs: lags.maxMs(),
      resumed,
      initialised: watchers.filter(({ initialised }) => initialised).length,
      histories: watchers.map(({ bucket, count: seen, version, sum }): History => ({ bucket, count: seen, last: version, sum })),
      faults,
    }),
    end() {
      ended = true
      client.close()
    },
  }
}

function newWatcher(number: number, bucket: number): Watcher {
  return { number, bucket, version: 0, count: 0, sum: 0, initialised: false, rest: [], restBytes: 0 }
}

function pathOf({ path, watchSeconds }: WatchPlan, { number, bucket, version }: Watcher): string {
  const timeout = watchSeconds === undefined ? "" : `&timeoutSeconds=${watchSeconds + (number % watchSeconds)}`
  const filled = path.replaceAll("{bucket}", String(bucket)) + timeout
  return version === 0 ? filled : filled.replace(/resourceVersion=\d*/, `resourceVersion=${version}`)
}

/** Calls `over` once, however the stream ends. */
function whenOver(stream: ClientHttp2Stream, over: () => void): void {
  stream.on("error", () => undefined)
  stream.once("close", over)
}

/** The lines that a chunk completes: complete, or the kept part of their beginning. */
export function* lines(watcher: Pick<Watcher, "rest" | "restBytes">, chunk: Buffer): Generator<Buffer> {
  let from = 0
  for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
    const piece = chunk.subarray(from, end)
    from = end + 1
    if (watcher.restBytes === 0) yield piece
    else {
      watcher.rest.push(piece.subarray(0, keptBytes))
      yield Buffer.concat(watcher.rest)
      forgetRest(watcher)
    }
  }
  if (from === chunk.byteLength) return
  if (watcher.restBytes < keptBytes) watcher.rest.push(Buffer.from(chunk.subarray(from, from + keptBytes)))
  watcher.restBytes += chunk.byteLength - from
}

function forgetRest(watcher: Pick<Watcher, "rest" | "restBytes">): void {
  watcher.rest = []
  watcher.restBytes = 0
}

/** The decimal number after a text; 0 when the text is missing. */
function numberAfter(line: Buffer, text: string): number {
  const at = line.indexOf(text)
  if (at < 0) return 0
  let value = 0
  for (let index = at + text.length; index < line.byteLength; index++) {
    const digit = (line[index] ?? 0) - 0x30
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  return value
}
