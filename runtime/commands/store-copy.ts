/** `orch-apiserver store copy`: copies a store into an empty one, possibly of another driver. */
import { programText } from "../base/program-text.ts"
import { systemClock } from "../base/clock.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import { systemRandom } from "../base/random.ts"
import { copyStore, type CopySummary } from "../storage/tools/copy.ts"
import { StoreError } from "../storage/store.ts"
import { storeRoot } from "../launch/data-dir.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags, takeSwitch } from "./flags.ts"
import { parseStoreLocation, type StoreTarget } from "./store-location.ts"

const usage = `${programText("store copy", "--from PLACE --to PLACE [--json]")}
  Fills the store at --to, which must be empty, with every key of the one at --from that begins with --store-prefix, times to live included,
  and compares the two value by value. Stop the servers of both first.
  PLACE is lmdb:DIR, DIR being the --data-dir of a server, or etcd:URL,URL, the members of a cluster.
  Versions of the copy are greater than every version of the source, and its history begins with the copy: clients that resume a watch
  from an earlier version get 410 Expired and list again, as after a compaction.
  --json   one JSON object instead of lines`

/** Does not change the source. Creates the target completely or, where its driver supports that, not at all. */
export async function storeCopy(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, rest } = takeFlags(args, ["from", "to"])
  const { on: json, rest: others } = takeSwitch(rest, "json")
  const { options, positionals, help } = optionsOf(others, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["store-prefix", "store-cafile", "store-certfile", "store-keyfile", "config"])}`)
    return 0
  }
  const { from, to } = values
  if (from === undefined || to === undefined || positionals.length > 0)
    throw new OptionError(`two places are needed: ${usage.split("\n")[0]}`)
  const root = storeRoot(options["store-prefix"])
  const places = { clock: systemClock, random: systemRandom, options }
  const [sourcePlace, targetPlace] = [parseStoreLocation("--from", from, places), parseStoreLocation("--to", to, places)]
  const source = await sourcePlace.openSource()
  try {
    const target = await targetPlace.openTarget(await source.revision())
    const onProgress = json ? () => undefined : progress(context)
    const summary = await fill(target, (onBegin) =>
      copyStore({
        source,
        target: target.store,
        prefix: root,
        nowMs: systemClock.nowMs,
        onProgress: (keys) => (keys === 0 ? onBegin() : onProgress(keys)),
      }),
    )
    context.print(json ? JSON.stringify({ from, to, ...summary }) : summaryText(summary, { from, to }))
    const { keys } = await source.status()
    if (keys > summary.keys)
      context.printError(`${keys - summary.keys} keys of ${from} are not below ${root} or ended meanwhile; they were not copied`)
    return 0
  } finally {
    await source.close()
  }
}

/** Calls `onBegin` when the target begins to change. */
async function fill(target: StoreTarget, copy: (onBegin: () => void) => Promise<CopySummary>): Promise<CopySummary> {
  let hasBegun = false
  let summary: CopySummary
  try {
    summary = await copy(() => {
      hasBegun = true
    })
  } catch (error) {
    const left = await target.discard()
    if (!hasBegun || left === undefined || !(error instanceof StoreError)) throw error
    throw new StoreError(error.code, `${error.message}. ${left}`)
  }
  await target.keep()
  return summary
}

/** Keys between two lines of progress. */
const progressKeys = 20_000

function progress(context: CommandContext): (keys: number) => void {
  let told = 0
  return (keys) => {
    if (keys < told + progressKeys) return
    told = keys
    context.printError(`${keys} keys`)
  }
}

function summaryText(summary: CopySummary, { from, to }: { from: string; to: string }): string {
  const { bytes, contentHash, keys, revision, sourceRevision } = summary
  return [
    `${keys} keys, ${bytes} bytes, from ${from} at version ${sourceRevision} to ${to} at version ${revision}`,
    `sha256 of keys and values, the same on both sides: ${contentHash}`,
    `clients that resume from before version ${revision} get 410 Expired and list again`,
  ].join("\n")
}
