/** `definitions --out DIR`: CustomResourceDefinitions of the kinds in a folder of schemas. */
import { writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { stringify } from "yaml"
import { makeFolder } from "../../runtime/base/make-folder.ts"
import type { JsonObject } from "../../runtime/base/json.ts"
import type { Vendor } from "../../runtime/base/vendor.ts"
import type { CommandContext } from "../cli.ts"
import { builtInSchemas, readSchemas } from "../folder.ts"
import { neededLibrary } from "../library.ts"
import { formatDiagnostic, load } from "../load/index.ts"
import { readLock } from "../lock.ts"
import { pathText } from "./findings.ts"
import { definitionsOf, type MadeDefinition } from "./to/definition.ts"

export interface WriteOptions {
  readonly schemas: string
  readonly out: string
  readonly vendor: Vendor
}

const exitWithLosses = 3

/** Called by the command. Returns the exit code: 0 done, 1 nothing was written, 3 written, with losses (printed). */
export function writeDefinitions({ schemas, out, vendor }: WriteOptions, context: CommandContext): number {
  const folder = resolve(context.cwd, schemas)
  const shown = (path: string): string => relative(context.cwd, path).replaceAll("\\", "/")
  const files = readSchemas(folder)
  if (files.size === 0) {
    context.printError(`${shown(folder)} holds no schema files`)
    return 1
  }
  const numbers = readLock(folder)
  const loaded = load(files, {
    ...(folder !== builtInSchemas && { library: neededLibrary(files, readSchemas(builtInSchemas)) }),
    libraryNumbers: () => readLock(builtInSchemas),
    ...(numbers !== undefined && { numbers }),
  })
  if ("diagnostics" in loaded) {
    for (const diagnostic of loaded.diagnostics) context.printError(formatDiagnostic(diagnostic, `${shown(folder)}/`))
    return 1
  }
  const made = definitionsOf(loaded.model, (kind) => files.has(`${kind.file}.yaml`), vendor)
  const target = resolve(context.cwd, out)
  for (const { object } of made) if (object !== undefined) writeDefinition(target, object, (path) => context.print(`wrote ${shown(path)}`))
  const losses = report(made, shown(folder), context)
  if (made.every(({ object }) => object === undefined)) {
    context.printError("no kind can be a definition; nothing was written")
    return 1
  }
  return losses > 0 ? exitWithLosses : 0
}

function writeDefinition(target: string, object: JsonObject, written: (path: string) => void): void {
  const { metadata } = object
  const name = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? String(metadata.name) : ""
  const path = join(target, `${name}.yaml`)
  makeFolder(target, 0o777)
  writeFileSync(path, definitionText(object))
  written(path)
}

/** A definition as YAML that YAML 1.1 tools read alike. */
export function definitionText(object: JsonObject): string {
  return stringify(object, { version: "1.1", lineWidth: 120, aliasDuplicateObjects: false, schema: "yaml-1.1" })
}

function report(made: readonly MadeDefinition[], folder: string, context: CommandContext): number {
  let losses = 0
  for (const { findings } of made)
    for (const { file, found } of findings) {
      losses += found.losses
      for (const { severity, path, text } of found.all)
        context.printError(`${folder}/${file}.yaml: ${severity === "note" ? "note: " : ""}${pathText(path)}: ${text}`)
    }
  return losses
}
