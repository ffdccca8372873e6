/**
 * OpenAPI documents of custom kinds, built on first request, one group version at a time. They are rebuilt only for
 * group versions whose kinds have changed.
 */
import { type CustomKind, customDocument } from "../../model/openapi/custom.ts"
import type { DocumentVersion } from "../../model/openapi/fixed-definitions.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { setField, stringify } from "../encoding/json/text.ts"
import { nextTurn } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Kind } from "../schema/kind.ts"
import type { ServerParts } from "../server-parts.ts"
import { encodeOpenApiV2 } from "./protobuf-v2.ts"
import { mapDocument } from "./vendor.ts"

/** The parts of a document of version 2 that one kind adds, as members of JSON objects. */
interface Version2Members {
  readonly paths: string
  readonly definitions: string
  /** The same, as a protobuf message of a document. */
  readonly compact: Buffer
}

/** Group versions with custom kinds, by the path of their document. One per server. */
export class CustomDocuments {
  private readonly source: CustomSource
  private groupVersions = new Map<string, CustomGroupVersion>()
  private revision = -1

  constructor(private readonly parts: Pick<ServerParts, "vendor" | "openapi" | "kinds">) {
    this.source = new CustomSource(parts)
  }

  get isEmpty(): boolean {
    return this.groupVersions.size === 0
  }

  paths(): readonly string[] {
    return [...this.groupVersions.keys()]
  }

  groupVersion(path: string): CustomGroupVersion | undefined {
    return this.groupVersions.get(path)
  }

  /**
   * Called before each read. Returns the paths of documents that have changed since the last call. `isBuiltIn`: whether
   * built-in kinds have the document, which then never changes.
   */
  follow(isBuiltIn: (path: string) => boolean): readonly string[] {
    const { kinds } = this.parts
    if (this.revision === kinds.revision) return []
    this.revision = kinds.revision
    const before = this.groupVersions
    const changed: string[] = []
    this.groupVersions = new Map()
    for (const [path, ofPath] of this.servedKinds()) {
      if (isBuiltIn(path)) continue
      const known = before.get(path)
      const isSame = known?.isOf(ofPath) === true
      if (!isSame) changed.push(path)
      this.groupVersions.set(path, isSame ? known : new CustomGroupVersion(ofPath, this.source))
    }
    for (const path of before.keys()) if (!this.groupVersions.has(path)) changed.push(path)
    return changed
  }

  private servedKinds(): ReadonlyMap<string, readonly Kind[]> {
    const { kinds, vendor } = this.parts
    const found = new Map<string, Kind[]>()
    for (const kind of kinds.served()) {
      if (kind.custom === undefined) continue
      const path = `v3/apis/${vendor.group(kind.group)}/${kind.version}`
      const ofPath = found.get(path)
      if (ofPath === undefined) found.set(path, [kind])
      else ofPath.push(kind)
    }
    return found
  }

  /** Each kind's members of the version 2 document. Takes a turn of the event loop per kind. */
  async version2(): Promise<readonly Version2Members[]> {
    const all: Version2Members[] = []
    // Bounded: each takes a turn per kind.
    for (const groupVersion of this.groupVersions.values()) all.push(...(await groupVersion.version2()))
    return all
  }
}

/** The custom kinds of one group version. */
class CustomGroupVersion {
  /** One per kind. */
  private members: readonly Version2Members[] | undefined

  constructor(
    private readonly kinds: readonly Kind[],
    private readonly source: CustomSource,
  ) {}

  /** Whether these kinds have the same documents as the kinds of this group version. */
  isOf(kinds: readonly Kind[]): boolean {
    return kinds.length === this.kinds.length && kinds.every((kind, index) => publishesSame(kind, this.kinds[index]))
  }

  /** The text of its own document of version 3. A group may have hundreds of kinds: each takes a turn. */
  async version3(): Promise<Buffer> {
    const [first, ...others] = this.kinds
    const document = first === undefined ? {} : await this.source.build(first, "v3")
    for (const kind of others) {
      await nextTurn()
      merge(document, await this.source.build(kind, "v3"))
    }
    return Buffer.from(stringify(document))
  }

  async version2(): Promise<readonly Version2Members[]> {
    this.members ??= await this.makeMembers()
    return this.members
  }

  private async makeMembers(): Promise<readonly Version2Members[]> {
    const all: Version2Members[] = []
    for (const kind of this.kinds) {
      const { paths, definitions } = await this.source.build(kind, "v2")
      await nextTurn()
      all.push({ paths: members(paths), definitions: members(definitions), compact: encodeOpenApiV2({ paths, definitions }) })
      await nextTurn()
    }
    return all
  }
}

/** Adds the content of another document of the same group version: paths, and components by name. */
function merge(into: JsonObject, { paths, components }: JsonObject): void {
  addMembers(into.paths, paths)
  if (isObject(components))
    for (const name in components) addMembers(isObject(into.components) ? into.components[name] : {}, components[name])
}

function addMembers(into: JsonValue | undefined, added: JsonValue | undefined): void {
  if (isObject(into) && isObject(added)) for (const name in added) if (!Object.hasOwn(into, name)) setField(into, name, added[name] ?? null)
}

/** A terminating definition is published as before. */
function publishesSame(kind: Kind, other: Kind | undefined): boolean {
  const [own, others] = [kind.custom, other?.custom]
  const isSame = own?.schema === others?.schema && own?.preservesUnknown === others?.preservesUnknown
  return kind === other || (isSame && kind.resource === other?.resource)
}

/** Writes numbers exactly: schemas of definitions may have limits, defaults and values beyond 2^53. */
function members(object: JsonValue | undefined): string {
  return stringify(isObject(object) ? object : {}).slice(1, -1)
}

/** Shared by all group versions. */
class CustomSource {
  private readonly shared = new Map<DocumentVersion, Promise<JsonObject>>()

  constructor(private readonly parts: Pick<ServerParts, "vendor" | "openapi">) {}

  /** Builds the document of one kind in wire names. */
  async build(kind: Kind, version: DocumentVersion): Promise<JsonObject> {
    const { vendor } = this.parts
    const shared = await this.sharedDefinitions(version)
    const options = { shared, prefix: vendor.extensionPrefix, vendorName: (name: string) => vendor.definition(name) }
    const custom: CustomKind = { kind: { ...kind, group: vendor.group(kind.group) }, schema: kind.custom?.schema }
    const { document, schemas } = customDocument([custom], version, options)
    return withSchemas(mapped(document, vendor), schemas, version)
  }

  /** Definitions of ObjectMeta, Scale and others, from the smallest documents of built-in kinds. */
  private sharedDefinitions(version: DocumentVersion): Promise<JsonObject> {
    const known = this.shared.get(version) ?? this.readShared(version)
    this.shared.set(version, known)
    return known
  }

  private async readShared(version: DocumentVersion): Promise<JsonObject> {
    // Version 2 has a single document, which has the other definitions already.
    if (version === "v2") return {}
    const found: JsonObject = {}
    // Bounded: there are two paths.
    for (const path of ["v3/apis/coordination.orch.io/v1", "v3/apis/apps/v1"]) {
      const read = this.parts.openapi.get(path)
      if (read !== undefined) Object.assign(found, schemasIn(JSON.parse((await read()).toString())))
    }
    return found
  }
}

function schemasIn(document: JsonValue): JsonObject {
  const components = isObject(document) ? document.components : undefined
  const schemas = isObject(components) ? components.schemas : undefined
  return isObject(schemas) ? schemas : {}
}

function mapped(document: JsonObject, vendor: Vendor): JsonObject {
  const value: JsonValue = JSON.parse(mapDocument(JSON.stringify(document), vendor))
  return isObject(value) ? value : {}
}

function withSchemas(document: JsonObject, schemas: JsonObject, version: DocumentVersion): JsonObject {
  if (version === "v2") return { ...document, definitions: schemas }
  const components = isObject(document.components) ? document.components : {}
  return { ...document, components: { ...components, schemas: { ...schemasIn(document), ...schemas } } }
}

/** The version 2 document with added members, in pieces. `text`: the document of the built-in kinds. */
export function* withMembers(text: string, added: readonly Version2Members[]): Generator<string> {
  let from = 0
  for (const name of ["paths", "definitions"] as const) {
    const open = `"${name}":{`
    // The first occurrence belongs to the document itself: no path has a member of that name, and definitions follow
    // paths.
    const at = text.indexOf(open, from)
    if (at < 0) continue
    yield text.slice(from, at + open.length)
    from = at + open.length
    for (const one of added) if (one[name] !== "") yield `${one[name]},`
  }
  yield text.slice(from)
}
