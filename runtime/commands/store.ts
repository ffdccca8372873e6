/** `orch-apiserver store verify | stats | copy`: what operators do with a store besides running a server on it. */
import { nearest } from "../kit/nearest.ts"
import { OptionError } from "../options/command-line.ts"
import type { Command, CommandContext } from "./context.ts"
import { shielded } from "./shield.ts"

interface Entry {
  readonly help: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  verify: {
    help: "look for damage; exits 1 and names every fault",
    load: async () => shielded(["store", "verify"], (await import("./store-verify.ts")).storeVerify),
  },
  stats: {
    help: "what the resources take, and how much of it is history",
    load: async () => (await import("./store-stats.ts")).storeStats,
  },
  copy: {
    help: "fill a new store, of another driver too, from this one",
    load: async () => shielded(["store", "copy"], (await import("./store-copy.ts")).storeCopy),
  },
}

/** Answers the exit code of the command that is named first. */
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
  return `orch-apiserver store COMMAND [options]\n${lines.join("\n")}\norch-apiserver store COMMAND --help tells more.`
}
