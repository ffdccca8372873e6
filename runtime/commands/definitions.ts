/** `orch-apiserver definitions --out DIR`: writes a CustomResourceDefinition for each kind of one's own. */
import { programText, usesScripts } from "../base/program-text.ts"
import { vendorProfile } from "../base/vendor.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags } from "./flags.ts"

const usage = `${programText("definitions", "--schemas DIR --out DIR")}
  Writes DIR/<plural>.<group>.yaml, a CustomResourceDefinition with all versions of a resource, for each kind of the
  schema files: to install a kind elsewhere. With --vendor=kubernetes it is one of apiextensions.k8s.io/v1. What a
  definition cannot say is printed line by line, with the file and the path in it.
  --schemas DIR   schema files${usesScripts ? "" : " (default: schemas)"}
  --out DIR       where the definitions go
Exit codes: 0 done, 1 nothing was written, 2 wrong use, 3 written without what the printed lines name; notes among them
say what a definition says in another way.`

/** Resolves with the exit code. Throws OptionError for wrong use. */
export async function definitions(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, rest } = takeFlags(args, ["out", "schemas"])
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["vendor"])}`)
    return 0
  }
  const { out, schemas = usesScripts ? undefined : "schemas" } = values
  if (out === undefined || schemas === undefined || positionals.length > 0)
    throw new OptionError(`two folders are needed: ${usage.split("\n")[0]}`)
  const { writeDefinitions } = await import("../../codegen/definitions/to-crd.ts")
  return writeDefinitions({ schemas, out, vendor: vendorProfile(options.vendor) }, context)
}
