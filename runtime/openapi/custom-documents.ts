/**
 * The OpenAPI documents of kinds that definitions add. They are built on first request, one group version at a time, and
 * built again only for group versions whose kinds have changed.
 */
import { type CustomKind, customDocument } from "../../model/openapi/custom.ts"
import type { DocumentVersion } from "../../model/openapi/fixed-definitions.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Kind } from "../schema/kind.ts"
import type { ServerParts } from "../server-parts.ts"
import { mapDocument } from "./vendor.ts"

/** The parts of a document of version 2 that one group version adds, as members of JSON objects. */
export interface Version2Members {
  readonly paths: string
  readonly definitions: string
}

/** A group version with kinds of definitions, in wire names. */
export class CustomGroupVersion {
  private version2: Version2Members | undefined

  constructor(
    /** `v3/apis/example.com/v1` */
    readonly path: string,
    private readonly kinds: readonly Kind[],
    private readonly source: CustomSource,
  ) {}

  /** Whether the documents of these kinds are those of this group version. */
  isOf(kinds: readonly Kind[]): boolean {
    return kinds.length === this.kinds.length && kinds.every((kind, index) => publishesSame(kind, this.kinds[index]))
  }

  /** The text of its own document of version 3. */
  async version3(): Promise<Buffer> {
    return Buffer.from(JSON.stringify(await this.source.build(this.kinds, "v3")))
  }

  async version2Members(): Promise<Version2Members> {
    this.version2 ??= membersOf(await this.source.build(this.kinds, "v2"))
    return this.version2
  }
}

/** Terminating definitions are published as before. */
function publishesSame(kind: Kind, other: Kind | undefined): boolean {
  return kind === other || (other !== undefined && kind.custom?.schema === other.custom?.schema && kind.resource === other.resource)
}

function membersOf({ paths, definitions }: JsonObject): Version2Members {
  return { paths: members(paths), definitions: members(definitions) }
}

function members(object: JsonValue | undefined): string {
  return JSON.stringify(isObject(object) ? object : {}).slice(1, -1)
}

/** What all group versions share. One per server. */
export class CustomSource {
  private readonly shared = new Map<DocumentVersion, Promise<JsonObject>>()

  constructor(private readonly parts: Pick<ServerParts, "vendor" | "openapi">) {}

  /** Builds a document in wire names. */
  async build(kinds: readonly Kind[], version: DocumentVersion): Promise<JsonObject> {
    const { vendor } = this.parts
    const shared = await this.sharedDefinitions(version)
    const options = { shared, prefix: vendor.extensionPrefix, vendorName: (name: string) => vendor.definition(name) }
    const customKinds = kinds.map((kind): CustomKind => ({ kind: { ...kind, group: vendor.group(kind.group) }, schema: kind.custom?.schema }))
    const { document, schemas } = customDocument(customKinds, version, options)
    return withSchemas(mapped(document, vendor), schemas, version)
  }

  /** Definitions of ObjectMeta, Scale and others, from the documents of built-in kinds that are smallest. */
  private sharedDefinitions(version: DocumentVersion): Promise<JsonObject> {
    const known = this.shared.get(version) ?? this.readShared(version)
    this.shared.set(version, known)
    return known
  }

  private async readShared(version: DocumentVersion): Promise<JsonObject> {
    // Version 2 has one document, whose other definitions are there already.
    if (version === "v2") return {}
    const found: JsonObject = {}
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

/** The text of the document of version 2 with what group versions add. `text`: that of the built-in kinds. */
export function withMembers(text: string, added: readonly Version2Members[]): string {
  let joined = text
  for (const name of ["paths", "definitions"] as const) {
    const open = `"${name}":{`
    // The first is the document's own: no path has a member of that name, and definitions follow paths.
    const at = joined.indexOf(open)
    const all = added.map((one) => one[name]).filter((one) => one !== "")
    if (at < 0 || all.length === 0) continue
    const from = at + open.length
    joined = `${joined.slice(0, from)}${all.join(",")},${joined.slice(from)}`
  }
  return joined
}
