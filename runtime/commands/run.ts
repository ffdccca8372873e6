/** The command line: selects the command and prints its errors. */
import { programText } from "../base/program-text.ts"
import { CertificateError } from "../launch/certificates.ts"
import { ApiError } from "../base/errors.ts"
import { FolderError } from "../base/make-folder.ts"
import { nearest } from "../base/nearest.ts"
import { OptionError } from "../options/command-line.ts"
import { packageVersion } from "../package-root.ts"
import { StartError } from "../base/start-error.ts"
import { StoreError } from "../storage/store.ts"
import type { Command, CommandContext } from "./context.ts"
import { inChildProcess } from "./isolated-process.ts"

interface Entry {
  readonly help: string
  /** Loads a command when it is called: the generator needs more modules than the server. */
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  serve: { help: "serve the API to other machines", load: async () => (await import("./serve.ts")).serve },
  start: { help: "serve on this machine alone, with RBAC (the default)", load: async () => (await import("./serve.ts")).start },
  dev: { help: "serve your own schemas, and again after each change", load: async () => (await import("./dev.ts")).dev },
  backup: { help: "copy the embedded store to a file", load: async () => inChildProcess(["backup"], (await import("./backup.ts")).backup) },
  restore: { help: "create the store of a new data folder from such a file", load: async () => (await import("./backup.ts")).restore },
  store: { help: "check, measure, migrate or copy a store", load: async () => (await import("./store.ts")).store },
  convert: {
    help: "convert an object between encodings: JSON, YAML, compact",
    load: async () => (await import("./convert.ts")).convert,
  },
  gen: { help: "generate code from schemas", load: async () => (await import("../../codegen/cli.ts")).runGenerator },
  new: {
    help: "write a commented schema of a new kind",
    load: async () => async (args, context) => (await import("../../codegen/new.ts")).runNew(args, context),
  },
  definitions: {
    help: "write custom resource definitions of your own kinds",
    load: async () => (await import("./definitions.ts")).definitions,
  },
  openapi: { help: "write the OpenAPI documents to a folder", load: async () => (await import("./openapi.ts")).openapi },
}

/** Called once per process. Resolves with the exit code. Prints errors of the user in one line, without a stack. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const [first = ""] = args
  if (first === "help" || first === "version" || first === "--version") {
    context.print(first === "help" ? overview() : `orch-apiserver ${packageVersion()}`)
    return 0
  }
  const named = first !== "" && !first.startsWith("-")
  const entry = commands[named ? first : "start"]
  if (entry === undefined) {
    const close = nearest(first, Object.keys(commands))
    context.printError(`unknown command ${first}${close === undefined ? "" : `; did you mean ${close}?`}`)
    context.printError(overview())
    return 2
  }
  try {
    const command = await entry.load()
    return await command(named ? args.slice(1) : args, context)
  } catch (error) {
    const code = exitCode(error)
    if (code === undefined) throw error
    context.printError(error instanceof Error ? error.message : String(error))
    return code
  }
}

function overview(): string {
  const others = [["version", "which version this is"] as const, ["help", "this text"] as const]
  const lines = [...Object.entries(commands).map(([name, { help }]) => [name, help] as const), ...others].map(
    ([name, help]) => `  ${name.padEnd(11)} ${help}`,
  )
  return `${programText("COMMAND", "[options]")}\n${lines.join("\n")}\n${programText("COMMAND", "--help")} shows more.`
}

const expectedErrors = [StartError, CertificateError, StoreError, ApiError, FolderError]

/** Undefined for a fault of this program, which is reported with its stack. */
function exitCode(error: unknown): number | undefined {
  if (error instanceof OptionError) return 2
  return expectedErrors.some((type) => error instanceof type) ? 1 : undefined
}
