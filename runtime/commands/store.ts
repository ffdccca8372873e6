/** `orch-apiserver store verify | stats | migrate | copy`: operators' commands on a store. */
import { programText } from "../base/program-text.ts"
import { nearest } from "../base/nearest.ts"
import { OptionError } from "../options/command-line.ts"
import type { Command, CommandContext } from "./context.ts"
import { inChildProcess } from "./isolated-process.ts"

interface Entry {
  readonly help: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  verify: {
    help: "check for damage; names every fault and exits 1 if there is one",
    load: async () => inChildProcess(["store", "verify"], (await import("./store-verify.ts")).storeVerify),
  },
  stats: {
    help: "show the size of each resource, and how much of the store is history",
    load: async () => (await import("./store-stats.ts")).storeStats,
  },
  migrate: {
    help: "rewrite the objects of kinds whose schemas have changed",
    load: async () => inChildProcess(["store", "migrate"], (await import("./store-migrate.ts")).storeMigrate),
  },
  copy: {
    help: "copy this store into a new one, possibly of another driver",
    load: async () => inChildProcess(["store", "copy"], (await import("./store-copy.ts")).storeCopy),
  },
}

/** Resolves with the exit code of the named command. */
export async function store(args: readonly string[], context: CommandContext): Promise<number> {
  const [name = ""] = args
  if (name === "--help" || name === "-h" || name === "help") {
    context.print(overview())
    return 0
  }
  const entry = commands[name]
  if (entry === undefined) {
    const close = nearest(name, Object.keys(commands))
    const what = name === "" ? "what is to be done with the store?" : `unknown command store ${name}`
    throw new OptionError(`${what}${close === undefined ? "" : `; did you mean ${close}?`}\n${overview()}`)
  }
  const command = await entry.load()
  return command(args.slice(1), context)
}

function overview(): string {
  const lines = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(7)} ${help}`)
  return `${programText("store COMMAND", "[options]")}\n${lines.join("\n")}\n${programText("store COMMAND", "--help")} shows more.`
}
