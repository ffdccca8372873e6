/** `orch-apiserver store verify`: looks at every entry of a store and names what is wrong. */
import { faultText, type Inspection, type InspectOptions, type StoreFault } from "../storage/lmdb/inspect.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { Options } from "../options/table.ts"
import { storeFolder, storeRoot } from "../store-folder.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeSwitch } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"
import { loadStoreValues } from "./store-values.ts"

const usage = `orch-apiserver store verify [--json]
  Looks at every entry of the store below --data-dir: index against log and log against index, the order of keys and versions, the values
  (each must decode to the object that its key names), the times to live, and the counters. The server may be running.
  One fault a line; exits 1 when there is one.
  --json   one JSON object a line: the faults, and at the end what was found`

/** Answers 1 when there is a fault. */
export async function storeVerify(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: json, rest } = takeSwitch(args, "json")
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["data-dir", "store-prefix", "api", "config"])}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; --data-dir names the folder`)
  return verify(options, context, json)
}

async function verify(options: Options, context: CommandContext, json: boolean): Promise<number> {
  const { inspectLmdb } = await import("../storage/lmdb/inspect.ts")
  const values = await loadStoreValues({ kinds: await knownKinds(options), root: storeRoot(options["store-prefix"]) })
  const folder = storeFolder(options["data-dir"])
  let faults = 0
  const inspectOptions: InspectOptions = {
    checkValue: values.check,
    onFault(fault) {
      faults++
      context.print(json ? faultJson(fault) : faultText(fault))
    },
  }
  const inspection = await inspectLmdb(folder, inspectOptions)
  context.print(json ? JSON.stringify({ store: folder, ...inspection, faults }) : summary(folder, inspection, faults))
  return faults === 0 ? 0 : 1
}

function faultJson({ key, revision, what }: StoreFault): string {
  return JSON.stringify({ fault: what, ...(key !== "" && { key }), ...(revision > 0 && { version: String(revision) }) })
}

function summary(folder: string, inspection: Inspection, faults: number): string {
  const { revision, compactedRevision, keys, values, contentHash } = inspection
  return [
    `${folder}: ${keys} keys at version ${revision}, ${values} values since version ${compactedRevision}`,
    `sha256 of keys and values: ${contentHash}`,
    faults === 0 ? "no faults" : `${faults} ${faults === 1 ? "fault" : "faults"}`,
  ].join("\n")
}
