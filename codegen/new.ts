/**
 * `new kitchen.example.com/v1 Kettle`: writes a valid, commented schema and prints the next steps. A further version of
 * a kind begins as a copy of the one that is stored, and converts to it.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { usesScripts, programText } from "../runtime/base/program-text.ts"
import { type CommandContext, processContext } from "./cli.ts"
import { readSchemas } from "./folder.ts"

function usage(): string {
  return `${programText("new", "<group>/<version> <Kind> [options]")}
  Writes a schema to begin with. Of a kind that has a version already it writes another one, which is stored in the form
  of the first and converts to it.
  <group>/<version>   such as kitchen.example.com/v1
  <Kind>              such as Kettle: a noun in the singular, beginning with a capital
  --scope SCOPE       Namespaced (the default), or Cluster: its objects are in no namespace
  --schemas DIR       folder of your schemas (default: schemas)
  --help              this text
Exit codes: 0 done, 1 the file exists, 2 wrong use.`
}

const groupVersionPattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)\/(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?)$/

type Scope = "Namespaced" | "Cluster"

interface NewKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Absent: the scope of the existing version, or Namespaced. */
  readonly scope?: Scope
}

interface Asked extends NewKind {
  readonly schemas?: string
}

/** Called with the arguments after the command. Returns the exit code: 1 when the file exists, 2 for wrong use. */
export function runNew(args: readonly string[], context: CommandContext): number {
  const asked = parseNew(args)
  if ("help" in asked) {
    context.print(usage())
    return 0
  }
  if ("fault" in asked) {
    context.printError(asked.fault)
    context.printError(usage())
    return 2
  }
  const folder = resolve(context.cwd, asked.schemas ?? "schemas")
  const file = join(folder, asked.group, asked.version, `${fileNameOf(asked.kind)}.yaml`)
  const shown = relative(context.cwd, file)
  if (existsSync(file)) {
    context.printError(`${shown} exists; it was not touched`)
    return 1
  }
  const stored = storedVersion(folder, asked)
  const scope = stored === undefined ? undefined : topValue(stored.text, "scope")
  if (scope !== undefined && asked.scope !== undefined && scope !== asked.scope) {
    context.printError(`--scope ${asked.scope}: ${stored?.version} is ${scope}, and so is every version of a kind`)
    return 2
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, stored === undefined ? scaffold(asked) : furtherVersion(asked, stored))
  for (const line of nextSteps(shown, asked, stored)) context.print(line)
  return 0
}

function nextSteps(file: string, asked: Asked, stored: Version | undefined): string[] {
  // In a clone the default is the folder of the built-in schemas.
  const schemas = asked.schemas ?? (usesScripts ? undefined : "schemas")
  const out = schemas === undefined ? undefined : join(dirname(schemas), "generated")
  const own = out === undefined ? "" : `--schemas ${schemas}`
  const first =
    stored === undefined
      ? "describe your resource in it: every line may be changed"
      : `change what differs from ${stored.version}: renamed fields go in conversion.rename, all else in conversion.behaviour`
  return [
    `wrote ${file}`,
    "next:",
    `  1. ${first}`,
    `  2. ${programText("gen", out === undefined ? "" : `${own} --out ${out}`)}`,
    `  3. ${programText("start", out === undefined ? "" : `--api ${out}`)}, then curl it; with --vendor=kubernetes also kubectl get it`,
    ...(own === "" ? [] : [`or both at once, and again after each change: ${programText("dev", own)}`]),
    `${programText("gen", "--explain")} lists the words of a schema; docs/DIALECT.md describes them`,
  ]
}

function parseNew(args: readonly string[]): Asked | { fault: string } | { help: true } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { schemas: { type: "string" }, scope: { type: "string" }, help: { type: "boolean" } },
      allowPositionals: true,
    })
    if (values.help === true) return { help: true }
    const [groupVersion = "", kind = "", ...rest] = positionals
    if (positionals.length < 2 || rest.length > 0) return { fault: "two arguments are needed: <group>/<version> and <Kind>" }
    const match = groupVersionPattern.exec(groupVersion)
    const [, group, , , version] = match ?? []
    if (group === undefined || version === undefined)
      return { fault: `"${groupVersion}" is not <group>/<version>, such as kitchen.example.com/v1` }
    if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
      return { fault: `"${kind}" is not a kind: letters and digits, beginning with a capital, such as Kettle` }
    const { schemas, scope } = values
    if (scope !== undefined && !isScope(scope)) return { fault: `--scope "${scope}" is not Namespaced or Cluster` }
    return { group, version, kind, ...(schemas !== undefined && { schemas }), ...(scope !== undefined && { scope }) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function isScope(text: string): text is Scope {
  return text === "Namespaced" || text === "Cluster"
}

/** An existing version of a kind. */
interface Version {
  readonly version: string
  readonly text: string
}

/** The version whose form is stored, of a kind that has versions already. */
function storedVersion(folder: string, { group, kind }: NewKind): Version | undefined {
  const versions = [...readSchemas(join(folder, group))].flatMap(([path, text]) =>
    topValue(text, "kind") === kind ? [{ version: topValue(text, "version") ?? path.slice(0, path.indexOf("/")), text }] : [],
  )
  return versions.find(({ text }) => !text.includes("sharedWith:")) ?? versions[0]
}

/** The plain value of a key at the top of a schema. */
function topValue(text: string, key: string): string | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${key}:`))
  return line
    ?.slice(key.length + 1)
    .split("#")[0]
    ?.trim()
}

/** Keys of the stored version that do not hold for another one. */
const notCopied = ["storage", "conversion", "served", "deprecated"]

/** The text of a further version: the stored one's, stored in its form. Pure; tests load it. */
export function furtherVersion({ group, version, kind }: NewKind, stored: Version): string {
  const shared = /^storage:.*sharedWith: *"?([^,"}]+)/m.exec(stored.text)?.[1]?.trim() ?? `${group}/${stored.version} ${kind}`
  const lines: string[] = []
  let left = false
  for (const line of stored.text.split("\n")) {
    if (/^[A-Za-z]/.test(line)) left = notCopied.some((key) => line.startsWith(`${key}:`))
    if (left) continue
    if (!line.startsWith("version:")) {
      lines.push(line)
      continue
    }
    lines.push(
      `version: ${version}`,
      `storage: {sharedWith: ${shared}} # objects are stored as ${shared.split(" ")[0]}`,
      "# Fields of the same name and type carry over. rename: {here: stored}, such as {spec.colour: spec.color}; what renaming",
      "# cannot express is a function: conversion: {behaviour: name}.",
      "conversion: {rename: {}}",
    )
  }
  return lines.join("\n")
}

/** The name of the schema file of a kind, without its end: `APIService` → `api-service`. */
export function fileNameOf(kind: string): string {
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
export function scaffold({ group, version, kind, scope = "Namespaced" }: NewKind): string {
  const dialect = "../../dialect.schema.json"
  const folder = group === "core" ? '""' : group
  return `# yaml-language-server: $schema=${dialect}
kind: ${kind}
group: ${folder}
version: ${version}
doc: A ${kind}, declared by its users and brought about by a controller.
scope: ${scope} # or ${scope === "Cluster" ? "Namespaced" : "Cluster"}
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

fields: # apiVersion, kind and metadata are there by themselves; gen numbers the others for the compact encoding
  spec: {type: ${kind}Spec, required: published, doc: What the user wants.}
  status: {type: ${kind}Status, doc: What the controller found.}

types:
  ${kind}Spec:
    doc: What a user of a ${kind} may ask for.
    fields:
      replicas: {type: int32, pointer: true, default: 1, minimum: 0, doc: How many are wanted.}
      maxReplicas: {type: int32, pointer: true, maximum: 1000, doc: The most there may ever be.}
      mode: {type: string, enum: [Manual, Automatic], default: Manual, doc: Who changes the number.}
    rules: # what must hold between fields; {{...}} shows a value
      - {rule: "!has(maxReplicas) || replicas <= maxReplicas", at: replicas, message: "must not be more than maxReplicas, {{maxReplicas}}"}
  ${kind}Status:
    doc: What the controller of a ${kind} reports.
    fields:
      phase: {type: string, doc: How far it is.}
      observedGeneration: {type: int64, doc: The generation of spec that was last acted upon.}
      conditions:
        {type: "[]meta.v1.Condition", listType: map, mapKeys: [type], patchStrategy: merge, mergeKey: type, doc: "Findings, one of each type."}
`
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = runNew(process.argv.slice(2), processContext())
}
