/** `npm run new -- kitchen.example.com/v1 Kettle`: writes a valid, commented schema and prints the next steps. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type CommandContext, processContext } from "./cli.ts"

const usage = `npm run new -- <group>/<version> <Kind> [--schemas DIR]
  <group>/<version>   such as kitchen.example.com/v1
  <Kind>              such as Kettle: a noun in the singular, beginning with a capital
  --schemas DIR       folder of your schemas (default: schemas)`

const groupVersionPattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)\/(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?)$/

interface NewKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Called with the arguments after the command. Returns the exit code: 1 when the file exists, 2 for wrong use. */
export function runNew(args: readonly string[], context: CommandContext): number {
  const asked = parseNew(args)
  if ("fault" in asked) {
    context.printError(asked.fault)
    context.printError(usage)
    return 2
  }
  const folder = resolve(context.cwd, asked.schemas ?? "schemas")
  const file = join(folder, asked.group, asked.version, `${kebabCase(asked.kind)}.yaml`)
  const shown = relative(context.cwd, file)
  if (existsSync(file)) {
    context.printError(`${shown} exists; it was not touched`)
    return 1
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, scaffold(asked))
  for (const line of nextSteps(shown, asked.schemas)) context.print(line)
  return 0
}

function nextSteps(file: string, schemas: string | undefined): string[] {
  const out = schemas === undefined ? undefined : join(dirname(schemas), "generated")
  const options = out === undefined ? "" : ` -- --schemas ${schemas} --out ${out}`
  return [
    `wrote ${file}`,
    "next:",
    "  1. describe your resource in it: every line may be changed",
    `  2. npm run gen${options}`,
    `  3. npm start${out === undefined ? "" : ` -- --api ${out}`}, then curl it; with --vendor=kubernetes also kubectl get it`,
    "npm run gen -- --explain <keyword> explains a keyword; docs/DIALECT.md lists them all",
  ]
}

function parseNew(args: readonly string[]): (NewKind & { schemas?: string }) | { fault: string } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: { schemas: { type: "string" } }, allowPositionals: true })
    const [groupVersion = "", kind = "", ...rest] = positionals
    if (positionals.length < 2 || rest.length > 0) return { fault: "two arguments are needed: <group>/<version> and <Kind>" }
    const match = groupVersionPattern.exec(groupVersion)
    const [, group, , , version] = match ?? []
    if (group === undefined || version === undefined)
      return { fault: `"${groupVersion}" is not <group>/<version>, such as kitchen.example.com/v1` }
    if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
      return { fault: `"${kind}" is not a kind: letters and digits, beginning with a capital, such as Kettle` }
    return { group, version, kind, ...(values.schemas !== undefined && { schemas: values.schemas }) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** `APIService` → `api-service`. */
function kebabCase(kind: string): string {
  return kind
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
}

/** `Proxy` → `proxies`, `Box` → `boxes`: a guess that the author can change. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase()
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** The text of a new schema. Pure; tests load it. */
export function scaffold({ group, version, kind }: NewKind): string {
  const dialect = "../../dialect.schema.json"
  const folder = group === "core" ? '""' : group
  return `# yaml-language-server: $schema=${dialect}
kind: ${kind}
group: ${folder}
version: ${version}
doc: A ${kind}, declared by its users and brought about by a controller.
scope: Namespaced # or Cluster
names: {plural: ${pluralOf(kind)}, singular: ${kind.toLowerCase()}, short: [], categories: []}

# What clients see in a table. Values are expressions over the object; ?? gives a value when a field is absent.
columns:
  - {name: Name, type: string, format: name, value: metadata.name, doc: Name of the object.}
  - {name: Replicas, type: integer, value: spec.replicas, doc: How many are wanted.}
  - {name: Phase, type: string, value: status.phase ?? "Pending", doc: How far it is.}
  - {name: Age, type: string, value: age(metadata.creationTimestamp), doc: Time since it was created.}

# Fields that field selectors may name: ?fieldSelector=status.phase=Ready
selectable: [status.phase]

# Users write spec, the controller writes status, each through its own path.
subresources:
  status: {keeps: [spec]}
create: {drops: [status]}
update: {keeps: [status], generation: [spec]}

fields: # apiVersion, kind and metadata (number 1) are there by themselves
  spec: {type: ${kind}Spec, number: 2, required: published, doc: What the user wants.}
  status: {type: ${kind}Status, number: 3, doc: What the controller found.}

types:
  ${kind}Spec:
    doc: What a user of a ${kind} may ask for.
    fields:
      replicas: {type: int32, number: 1, pointer: true, default: 1, minimum: 0, doc: How many are wanted.}
      maxReplicas: {type: int32, number: 2, pointer: true, maximum: 1000, doc: The most there may ever be.}
      mode: {type: string, number: 3, enum: [Manual, Automatic], default: Manual, doc: Who changes the number.}
    rules: # what must hold between fields; {{...}} shows a value
      - {rule: "!has(maxReplicas) || replicas <= maxReplicas", at: replicas, message: "must not be more than maxReplicas, {{maxReplicas}}"}
  ${kind}Status:
    doc: What the controller of a ${kind} reports.
    fields:
      phase: {type: string, number: 1, doc: How far it is.}
      observedGeneration: {type: int64, number: 2, doc: The generation of spec that was last acted upon.}
      conditions:
        {type: "[]meta.v1.Condition", number: 3, listType: map, mapKeys: [type], patchStrategy: merge, mergeKey: type, doc: "Findings, one of each type."}
`
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = runNew(process.argv.slice(2), processContext())
}
