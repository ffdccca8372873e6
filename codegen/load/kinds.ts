/**
 * Converts declared kinds to kind models: fills in names and defaults, resolves storage to the stored form, checks
 * views and life-cycle rules.
 */
import { featureGateNames } from "../../runtime/base/feature-gates.ts"
import type { Verb } from "../../runtime/schema/kind.ts"
import type { Expectation } from "../../model/expression/index.ts"
import type { ColumnModel, ExpressionModel, KindModel } from "../../model/model.ts"
import { Block, textOf } from "./block.ts"
import { checkExpression, type Scope } from "./check-expression.ts"
import { checkKnownName, checkPath, checkWords, type KnownNames } from "./checks.ts"
import { type FileDeclaration, typeName, versionPattern } from "./declare.ts"
import { compareText } from "./diagnostic.ts"
import { present } from "./fields.ts"
import { findKind, type KindContext, type KindDeclaration, kindKey, paths } from "./kind-context.ts"
import { checkLostFields } from "./lost-fields.ts"
import type { SourceFile, SourceNode } from "./source.ts"
import { subresources } from "./subresources.ts"
import { parseTemplate } from "./template.ts"
import type { KnownType, TypeTable } from "./type-table.ts"
import { isScalar, shownType } from "./type-text.ts"

const allVerbs: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]

/** Called for every kind once all types are known. */
export function kindModels(files: readonly FileDeclaration[], table: TypeTable, known: KnownNames): KindModel[] {
  const declared = files.filter((file): file is KindDeclaration => file.kind !== undefined)
  const kinds = new Map(declared.map((file) => [kindKey(file.group, file.version, file.kind), file]))
  checkResources(declared)
  const models = declared.map((file) => ({ file, model: kindModel(file, table, file.own ? known : {}, kinds) }))
  checkStoragePaths(models)
  return models.map(({ model }) => model).sort(compareKinds)
}

function compareKinds(left: KindModel, right: KindModel): number {
  return compareText(left.group, right.group) || compareText(left.version, right.version) || compareText(left.kind, right.kind)
}

/** Within a group and version, a resource name or short name may refer to one kind only. */
function checkResources(files: readonly KindDeclaration[]): void {
  const owners = new Map<string, KindDeclaration>()
  for (const file of files) {
    const plural = file.block.block("names")?.text("plural")
    if (plural === undefined) continue
    const key = `${file.group}/${file.version}/${plural}`
    const owner = owners.get(key)
    if (owner === undefined) owners.set(key, file)
    else
      file.source.report(file.block.block("names")?.start("plural") ?? 0, {
        found: `the resource ${plural} a second time in ${file.path.split("/").slice(0, 2).join("/")}`,
        expected: `another plural: ${owner.source.path} has it`,
      })
  }
}

/**
 * Objects of two stored forms under one storage path would overwrite each other. Skips faults that other checks report.
 */
function checkStoragePaths(models: readonly { readonly file: KindDeclaration; readonly model: KindModel }[]): void {
  const owners = new Map<string, KindModel>()
  for (const { file, model } of models) {
    const block = file.block.block("storage")
    if (!model.verbs.includes("get") || model.resource === "") continue
    const { path, group, version, kind } = model.storage
    const owner = owners.get(path)
    owners.set(path, owner ?? model)
    if (owner === undefined || block?.has("sharedWith") === true) continue
    const sameForm = owner.storage.group === group && owner.storage.version === version && owner.storage.kind === kind
    const sameResource = owner.group === model.group && owner.version === model.version && owner.resource === model.resource
    if (sameForm || sameResource) continue
    const key = kindKey(owner.storage.group, owner.storage.version, owner.storage.kind)
    const start = block?.has("path") === true ? block.start("path") : file.block.start("kind")
    file.source.report(start, {
      found: `the storage path ${path} a second time`,
      expected: `storage: {sharedWith: ${key}}, which has it, or another path`,
    })
  }
}

/**
 * Built-in groups have no dot or end in the vendor's domain. Their objects are stored by plural name, objects of other
 * groups below their group.
 */
function defaultStoragePath(target: KindDeclaration): string {
  const plural = target.block.block("names")?.text("plural") ?? ""
  const builtIn = !target.group.includes(".") || target.group.endsWith(".orch.io")
  return builtIn ? plural : `${target.group}/${plural}`
}

function kindModel(file: KindDeclaration, table: TypeTable, known: KnownNames, kinds: ReadonlyMap<string, KindDeclaration>): KindModel {
  const type = typeName(file.group, file.version, file.kind)
  const target = storedKind(file, kinds)
  const context: KindContext = {
    file,
    source: file.source,
    table,
    known,
    kinds,
    self: { ref: type },
    stored: { ref: typeName(target.group, target.version, target.kind) },
  }
  const { block } = file
  checkConversion(context, target)
  checkHeadings(context)
  if (block.get("verbs")?.node === "list" && block.items("verbs").length === 0)
    file.source.report(block.start("verbs"), { found: "no verbs", expected: "one verb or more, or no such key for all eight" })
  return {
    file: file.path,
    ...versionState(file),
    group: file.group,
    version: file.version,
    kind: file.kind,
    doc: block.text("doc") ?? "",
    ...names(file),
    namespaced: block.text("scope") === "Namespaced",
    verbs: verbsOf(block),
    type,
    storage: storageModel(file, target),
    selectable: selectableModels(context),
    ...present({ notSelectable: notSelectable(file) }),
    columns: block.blocks("columns").flatMap((column) => columnModel(column, context)),
    ...present({ rowOrder: rowOrder(context) }),
    completed: block.blocks("completed").flatMap((completed) => completedModel(completed, context)),
    subresources: subresources(context),
    ...present({ postsTo: postsTo(context), answeredBy: answeredBy(context) }),
    create: { drops: paths(block.block("create"), "drops", context) ?? [] },
    update: updateModel(context),
    finalizers: block.word("finalizers", ["any", "qualified"]) ?? "qualified",
    delete: {
      propagation: block.block("delete")?.word("propagation", ["background", "orphan", "foreground", "unsupported"]) ?? "background",
      ...present({ reminder: block.block("delete")?.text("reminder") }),
      returns: block.block("delete")?.word("returns", ["Status", "object"]) ?? "Status",
    },
    behaviours: checkWords(block, "behaviours", known.behaviours, file.source),
    ...conversionModel(context),
    warnings: block.blocks("warnings").flatMap((warning) => (warning.has("check") ? [] : warningModel(warning, context))),
    warningChecks: block.blocks("warnings").flatMap((warning) => (warning.has("check") ? warningCheck(warning, context) : [])),
  }
}

/** `pods/binding`: a kind of the same group and version, and one of its sub-resources. */
function postsTo({ file, kinds, source }: KindContext): KindModel["postsTo"] {
  const { block } = file
  const written = block.text("postsTo")
  if (written === undefined) return undefined
  const [resource = "", subresource = ""] = written.split("/")
  const target = [...kinds.values()].find(
    (one) => one.group === file.group && one.version === file.version && one.block.block("names")?.text("plural") === resource,
  )
  if (target?.block.members("subresources").some((entry) => entry.key === subresource) !== true)
    source.report(block.start("postsTo"), {
      found: `the text "${written}" for postsTo`,
      expected: "a resource of this group and version and one of its subresources: pods/binding",
    })
  checkCreateOnly(block, "postsTo", source)
  return { resource, subresource }
}

/** The behaviour that answers requests for a kind that is not stored: POST requests, or reads of its objects. */
function answeredBy({ file: { block }, known, source }: KindContext): KindModel["answeredBy"] {
  const name = block.text("answeredBy")
  const node = block.get("answeredBy")
  if (name === undefined || node === undefined) return undefined
  checkKnownName(name, node, known.behaviours, "behaviour", source)
  const verbs = block.texts("verbs")
  if (!block.has("verbs") || (!verbs.every((verb) => verb === "create") && !verbs.every((verb) => verb === "get" || verb === "list")))
    source.report(block.start("answeredBy"), {
      found: "answeredBy in a kind with further verbs",
      expected: "verbs: [create], or verbs: [get, list]",
    })
  if (block.has("postsTo")) source.report(node.start, { found: "answeredBy beside postsTo", expected: "one of the two" })
  return name
}

/** Nothing but a POST makes sense for a kind whose POST is forwarded. */
function checkCreateOnly(block: Block, word: string, source: SourceFile): void {
  if (!block.has("verbs") || block.texts("verbs").some((verb) => verb !== "create"))
    source.report(block.start(word), { found: `${word} in a kind with further verbs`, expected: "verbs: [create]" })
}

function names(file: KindDeclaration): Pick<KindModel, "resource" | "singular" | "listKind" | "shortNames" | "categories" | "nameRule"> {
  const block = file.block.block("names")
  for (const word of ["plural", "singular"]) checkResourceName(block?.get(word), word, file.source)
  for (const word of ["short", "categories"]) for (const item of block?.items(word) ?? []) checkResourceName(item, word, file.source)
  return {
    resource: block?.text("plural") ?? "",
    singular: block?.text("singular") ?? file.kind.toLowerCase(),
    listKind: block?.text("list") ?? `${file.kind}List`,
    shortNames: block?.texts("short") ?? [],
    categories: block?.texts("categories") ?? [],
    nameRule: block?.word("rule", ["path-segment", "dns-subdomain", "dns-label", "dns1035-label"]) ?? "dns-subdomain",
  }
}

function checkResourceName(node: SourceNode | undefined, word: string, source: SourceFile): void {
  const name = textOf(node)
  if (node !== undefined && name !== undefined && !/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    const meant = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^[-0-9]+|-$/g, "")
    const example = meant === "" ? "kettles" : meant
    source.report(node.start, { found: `the text "${name}" for ${word}`, expected: `small letters, digits and dashes: ${example}` })
  }
}

/** Each column has its own heading. */
function checkHeadings({ file, source }: KindContext): void {
  const seen = new Set<string>()
  for (const column of file.block.blocks("columns")) {
    const name = column.text("name")
    if (name === undefined) continue
    if (seen.has(name)) source.report(column.start("name"), { found: `the column ${name} a second time`, expected: "every heading once" })
    seen.add(name)
  }
}

function verbsOf(block: Block): readonly Verb[] {
  if (!block.has("verbs")) return allVerbs
  const written = block.texts("verbs")
  return allVerbs.filter((verb) => written.includes(verb))
}

/** Whether this version is served, optional or deprecated. */
function versionState({ block }: KindDeclaration): Pick<KindModel, "served" | "optional" | "deprecated"> {
  const gate = block.block("optional")?.word("gate", featureGateNames)
  const warning = block.block("deprecated")?.text("warning")
  return {
    ...(block.flag("served") === false && { served: false as const }),
    ...(block.has("optional") && { optional: present({ gate }) }),
    ...(block.has("deprecated") && { deprecated: present({ warning }) }),
  }
}

/** The kind whose form is stored: the one named by `sharedWith`, or the kind itself. */
function storedKind(file: KindDeclaration, kinds: ReadonlyMap<string, KindDeclaration>): KindDeclaration {
  const block = file.block.block("storage")
  const written = block?.text("sharedWith")
  if (block === undefined || written === undefined) return file
  const target = findKind(written, block.start("sharedWith"), file.source, kinds)
  if (target === undefined) return file
  const further = target.block.block("storage")?.text("sharedWith")
  if (further !== undefined)
    file.source.report(block.start("sharedWith"), {
      found: `storage shared with ${written}, which is not the stored form itself`,
      expected: further,
    })
  return target
}

function storageModel(file: KindDeclaration, target: KindDeclaration): KindModel["storage"] {
  const own = file.block.block("storage")
  const shared = target.block.block("storage")
  const path = own?.text("path") ?? shared?.text("path") ?? defaultStoragePath(target)
  if (!/^[a-z0-9]([-a-z0-9./]*[a-z0-9])?$/.test(path) && own?.has("path") === true)
    file.source.report(own.start("path"), {
      found: `the text "${path}" for path`,
      expected: "small words with slashes between: services/specs",
    })
  const ttlOption = own?.text("ttl") ?? shared?.text("ttl")
  const hashedVersion = own?.text("hashedVersion") ?? shared?.text("hashedVersion")
  if (hashedVersion !== undefined && own?.has("hashedVersion") === true && !versionPattern.test(hashedVersion))
    file.source.report(own.start("hashedVersion"), {
      found: `the text "${hashedVersion}" for hashedVersion`,
      expected: "a version: v1beta1",
    })
  const cached = own?.flag("cached") ?? shared?.flag("cached") ?? true
  return {
    path,
    group: target.group,
    version: target.version,
    kind: target.kind,
    ...present({ ttlOption, hashedVersion }),
    ...(!cached && { uncached: true }),
  }
}

/** A conversion requires another stored form; renamed paths must be fields on both sides. */
function checkConversion(context: KindContext, target: KindDeclaration): void {
  const { file, source, table, self, stored } = context
  const block = file.block.block("conversion")
  if (target !== file) checkLostFields(context, target)
  if (block === undefined) return
  if (target === file) {
    if (file.block.block("storage")?.has("sharedWith") !== true)
      source.report(file.block.start("conversion"), {
        found: "a conversion without storage.sharedWith",
        expected: "storage: {sharedWith: <the stored kind>}",
      })
    return
  }
  for (const entry of block.members("rename")) {
    const here: SourceNode = { node: "scalar", value: entry.key, start: entry.keyStart, end: entry.keyStart + entry.key.length }
    checkPath(entry.key, here, self, source, table)
    const there = textOf(entry.value)
    if (there !== undefined) checkPath(there, entry.value, stored, source, table)
  }
}

function conversionModel({ file, known, source }: KindContext): Pick<KindModel, "conversion"> {
  const block = file.block.block("conversion")
  if (block === undefined) return {}
  const behaviour = block.text("behaviour")
  const node = block.get("behaviour")
  if (behaviour !== undefined && node !== undefined) checkKnownName(behaviour, node, known.conversions, "conversion", source)
  const rename = block.members("rename").flatMap((entry) => {
    const stored = textOf(entry.value)
    return stored === undefined ? [] : [{ here: entry.key, stored }]
  })
  return { conversion: { rename, ...present({ behaviour }) } }
}

function updateModel(context: KindContext): KindModel["update"] {
  const block = context.file.block.block("update")
  return {
    keeps: paths(block, "keeps", context) ?? [],
    createOnUpdate: block?.flag("createOnUpdate") ?? false,
    unconditional: block?.flag("unconditional") ?? true,
    ...present({ generation: paths(block, "generation", context), firstGeneration: block?.number("firstGeneration") }),
    validatesTwice: block?.flag("validatesTwice") ?? false,
    checksName: block?.flag("checksName") ?? true,
  }
}

function scopeOf(self: KnownType, context: KindContext, place: Scope["place"]): Scope {
  return { self, root: self, old: place === "warnings" ? "perhaps" : "never", place, cells: context.known.cells }
}

function expressionAt(
  block: Block,
  word: string,
  { source, table }: KindContext,
  scope: Scope,
  expectation: Expectation,
): ExpressionModel | undefined {
  const text = block.expressionText(word)
  const node = block.get(word)
  if (text === undefined || node === undefined || text === "") return undefined
  return checkExpression({ text, node, source, table }, scope, expectation)
}

function selectableModels(context: KindContext): KindModel["selectable"] {
  const { source, table } = context
  const scope = scopeOf(context.stored, context, "selectable")
  const expectation: Expectation = { want: "text", what: "a selectable field" }
  const seen = new Set(["metadata.name", "metadata.namespace"])
  return context.file.block.items("selectable").flatMap((item) => {
    const block = item.node === "map" ? new Block(item) : undefined
    const name = block?.text("name") ?? textOf(item)
    const nameNode = block?.get("name") ?? item
    if (name === undefined || name.startsWith(".")) return []
    if (seen.has(name))
      context.source.report(nameNode.start, {
        found: `the selectable field ${name} a second time`,
        expected: "every name once; metadata.name and metadata.namespace are there by themselves",
      })
    seen.add(name)
    const value =
      block === undefined
        ? checkExpression({ text: name, node: item, source, table }, scope, expectation)
        : expressionAt(block, "value", context, scope, expectation)
    return value === undefined ? [] : [{ name, value }]
  })
}

function notSelectable({ block, source }: KindContext["file"]): string | undefined {
  const text = block.text("notSelectable")
  if (text === undefined || text.includes("{field}")) return text
  source.report(block.start("notSelectable"), {
    found: "notSelectable without {field}",
    expected: "{field} where the name of the field is shown",
  })
  return undefined
}

function columnModel(block: Block, context: KindContext): ColumnModel[] {
  const type = block.word("type", ["string", "integer", "number", "boolean", "date"]) ?? "string"
  const value = expressionAt(block, "value", context, scopeOf(context.self, context, "columns"), { want: "cell", type })
  if (value === undefined) return []
  return [
    {
      name: block.text("name") ?? "",
      type,
      format: block.text("format") ?? "",
      doc: block.text("doc") ?? "",
      priority: block.number("priority") ?? 0,
      value,
    },
  ]
}

/** The path of a whole number in each object. */
function rowOrder({ file: { block }, self, source, table }: KindContext): string | undefined {
  const path = block.text("rowOrder")
  if (path === undefined) return undefined
  const type = checkPath(path, block.get("rowOrder"), self, source, table)
  if (type !== undefined && !isScalar(type, "int32", "int64"))
    source.report(block.start("rowOrder"), {
      found: `rowOrder by ${path} of type ${shownType(type)}`,
      expected: "a field that is int32 or int64",
    })
  return path
}

function completedModel(block: Block, context: KindContext): KindModel["completed"] {
  const scope = scopeOf(context.self, context, "columns")
  const when = expressionAt(block, "when", context, scope, { want: "condition", what: "the when of a completed row" })
  const node = block.get("text")
  const textParts = node === undefined ? [] : parseTemplate(block.text("text") ?? "", { ...context, node }, scope, "the text")
  for (const word of ["when", "text"]) {
    if (!block.has(word))
      context.source.report(block.node.start, {
        found: `no "${word}" in an item of completed`,
        expected: "when: an expression, as: a reason, text: how the object ended",
      })
  }
  return when === undefined ? [] : [{ when, reason: block.text("as") ?? "", textParts }]
}

function warningModel(block: Block, context: KindContext): KindModel["warnings"] {
  const scope = scopeOf(context.self, context, "warnings")
  const when = expressionAt(block, "when", context, scope, { want: "condition", what: "the when of a warning" })
  const at = block.text("at") ?? ""
  checkPath(at, block.get("at"), context.self, context.source, context.table)
  const text = block.text("text") ?? ""
  const node = block.get("text")
  const textParts = node === undefined ? [] : parseTemplate(text, { ...context, node }, scope, "the text of a warning")
  for (const word of ["when", "text"]) {
    if (!block.has(word))
      context.source.report(block.node.start, {
        found: `no "${word}" in a warning`,
        expected: "when: an expression, with text; or check: the name of a function",
      })
  }
  return when === undefined ? [] : [{ when, text, textParts, at }]
}

function warningCheck(block: Block, context: KindContext): KindModel["warningChecks"] {
  const at = block.text("at") ?? ""
  checkPath(at, block.get("at"), context.self, context.source, context.table)
  for (const word of ["when", "text"]) {
    const node = block.get(word)
    if (node !== undefined)
      context.source.report(node.start, { found: `${word} beside check`, expected: "one of the two: when and text, or check" })
  }
  const name = block.text("check") ?? ""
  const node = block.get("check")
  if (node !== undefined) checkKnownName(name, node, context.known.warnings, "check", context.source)
  return [{ name, at }]
}
