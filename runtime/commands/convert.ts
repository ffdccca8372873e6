/** `orch-apiserver convert`: converts one object from one encoding to another, without a server. */
import { readFile, writeFile } from "node:fs/promises"
import { buffer } from "node:stream/consumers"
import { programText } from "../base/program-text.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import { vendorProfile } from "../base/vendor.ts"
import { type ConvertFormat, convert as convertObject } from "../wire/convert.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"

const usage = `${programText("convert", "[FILE] --to FORMAT [--from FORMAT] [--out FILE] [--key KEY]")}
  Reads an object from FILE, or from standard input, and writes it as FORMAT: json, yaml, compact (or protobuf, its other
             name), or stored (the encoding of the store).
  --from   detected from the first bytes when absent
  --out    file to write instead of standard output
  --key    key of a stored value; must belong to the object's kind`

const formats = ["json", "yaml", "compact", "stored"] as const

/** Resolves with the exit code. Throws ApiError for invalid input. */
export async function convert(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, rest } = takeFlags(args, ["to", "from", "out", "key"])
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["vendor", "storage-media-type", "api"])}`)
    return 0
  }
  if (positionals.length > 1) throw new OptionError(`one file at a time: ${usage.split("\n")[0]}`)
  const output = await convertObject({
    bytes: await readInput(positionals[0]),
    to: formatOf("--to", values.to ?? "json"),
    ...(values.from !== undefined && { from: formatOf("--from", values.from) }),
    kinds: await knownKinds(options),
    vendor: vendorProfile(options.vendor),
    storedAs: options["storage-media-type"] === "application/json" ? "json" : "compact",
    ...(values.key !== undefined && { key: values.key }),
  })
  await (values.out === undefined ? writeOutput(output) : writeFile(values.out, output))
  return 0
}

/** Reads through streams instead of file descriptors: a pipe may not be ready at once. */
async function readInput(file: string | undefined): Promise<Buffer> {
  try {
    return await (file === undefined ? buffer(process.stdin) : readFile(file))
  } catch (error) {
    throw new OptionError(`${file ?? "standard input"} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A reader that closes the pipe early (`| head`) is not an error. */
function writeOutput(output: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? resolve() : reject(error)))
    process.stdout.write(output, () => resolve())
  })
}

function formatOf(flag: string, text: string): ConvertFormat {
  const format = text === "protobuf" ? "compact" : formats.find((one) => one === text)
  if (format === undefined)
    throw new OptionError(`${flag}: ${JSON.stringify(text)} will not do: expected one of ${formats.join(", ")}, protobuf`)
  return format
}
