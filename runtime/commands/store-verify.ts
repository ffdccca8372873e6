/** `orch-apiserver store verify`: checks every entry of a store and names each fault. */
import { programText } from "../base/program-text.ts"
import { faultText, type Inspection } from "../storage/lmdb/inspect/inspect.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { Options } from "../options/table.ts"
import { storeFolder, storeRoot } from "../launch/data-dir.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeSwitch } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"
import { onStoreServers, storeOptions } from "./store-location.ts"
import { loadStoreValues, type StoreValues } from "./store-values.ts"
import type { StoreFault } from "../storage/lmdb/inspect/inspector.ts"

const usage = `${programText("store verify", "[--json]")}
  Checks every entry of the store below --data-dir: checksums, index against log and log against index, the order of keys and versions, the
  values (each must decode to the object that its key names), the times to live, and the counters. With --store-servers: the current values
  and the order of their keys and versions; etcd checks its own files. Servers may be running.
  Prints one fault per line; exits 1 when there is any.
  --json   one JSON object per line: the faults, then a summary`

/** Resolves with 1 when there is a fault. */
export async function storeVerify(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: json, rest } = takeSwitch(args, "json")
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(storeOptions)}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; --data-dir names the folder`)
  return verify(options, context, json)
}

async function verify(options: Options, context: CommandContext, json: boolean): Promise<number> {
  const values = await loadStoreValues({ kinds: await knownKinds(options), root: storeRoot(options["store-prefix"]) })
  let faults = 0
  function onFault(fault: StoreFault): void {
    faults++
    context.print(json ? faultJson(fault) : faultText(fault))
  }
  const seen =
    options["store-servers"].length > 0 ? await verifyServers(options, values, onFault) : await verifyFolder(options, values, onFault)
  context.print(json ? JSON.stringify({ ...seen, faults }) : summary(seen, faults))
  return faults === 0 ? 0 : 1
}

/** The result of the check. */
interface VerifyResult extends Pick<Inspection, "revision" | "keys" | "contentHash"> {
  readonly store: string
  /** Set only if past versions can be checked. */
  readonly compactedRevision?: number
  readonly values?: number
}

async function verifyFolder(options: Options, values: StoreValues, onFault: (fault: StoreFault) => void): Promise<VerifyResult> {
  const { inspectLmdb } = await import("../storage/lmdb/inspect/inspect.ts")
  const store = storeFolder(options["data-dir"])
  return { store, ...(await inspectLmdb(store, { checkValue: values.check, onFault })) }
}

function verifyServers(options: Options, values: StoreValues, onFault: (fault: StoreFault) => void): Promise<VerifyResult> {
  return onStoreServers(options, async (store) => {
    const { walkStore } = await import("../storage/tools/walk.ts")
    const walk = await walkStore(store, {
      prefix: storeRoot(options["store-prefix"]),
      onFault: ({ key, modRevision }, what) => onFault({ key, revision: modRevision, what }),
      onValue(item) {
        const what = values.check(item)
        if (what !== undefined) onFault({ key: item.key, revision: item.modRevision, what })
      },
    })
    return { store: options["store-servers"].join(","), ...walk }
  })
}

function faultJson({ key, revision, what }: StoreFault): string {
  return JSON.stringify({ fault: what, ...(key !== "" && { key }), ...(revision > 0 && { version: String(revision) }) })
}

function summary({ compactedRevision, contentHash, keys, revision, store, values }: VerifyResult, faults: number): string {
  const past = values === undefined ? "" : `, ${values} values since version ${compactedRevision}`
  return [
    `${store}: ${keys} keys at version ${revision}${past}`,
    `sha256 of keys and values: ${contentHash}`,
    faults === 0 ? "no faults" : `${faults} ${faults === 1 ? "fault" : "faults"}`,
  ].join("\n")
}
