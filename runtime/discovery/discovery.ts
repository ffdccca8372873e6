/** Caches the encoded discovery documents until a kind is added. */
import { createHash } from "node:crypto"
import { type ProtobufCodec, createProtobufCodec } from "../encoding/protobuf/codec.ts"
import type { ApiObject } from "../base/json.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptClauses, type Media, negotiate, type Negotiated } from "../wire/negotiate.ts"
import { encodeText, encodeWith } from "../wire/send.ts"
import { groupDiscoveryList, groupDiscoveryListShape } from "./aggregated.ts"
import { apiGroup, apiGroupList, apiResourceList, apiVersions, type ServedGroup, servedGroups } from "./documents.ts"

/** The document that a discovery path names, in neutral names. */
export type DiscoveryTarget =
  | { readonly at: "core" | "groups" }
  | { readonly at: "group"; readonly group: string }
  | { readonly at: "version"; readonly group: string; readonly version: string }

/** An encoded document. */
export interface Document {
  readonly bytes: Buffer
  /** The `ETag`, quoted: a hash of the bytes. */
  readonly tag: string
}

/** Created once per server. */
export class Discovery {
  private revision = -1
  private groups: readonly ServedGroup[] = []
  private documents = new Map<string, Promise<Document>>()

  constructor(private readonly parts: Pick<ServerParts, "vendor" | "kinds" | "body">) {}

  /** Whether the document exists. Checked before the client's Accept header. */
  has(target: DiscoveryTarget): boolean {
    if (!("group" in target)) return true
    const { group } = target
    const wanted = target.at === "version" ? target.version : undefined
    const versions = this.current().find((served) => served.group === group)?.versions ?? []
    return versions.some(({ version }) => wanted === undefined || version === wanted)
  }

  /** Undefined when there is no such group or version. Only `/api` reports `serverAddress`. */
  async document(
    target: DiscoveryTarget,
    options: { media: Media; indented: boolean; serverAddress: string },
  ): Promise<Document | undefined> {
    const object = this.object(target, options.serverAddress)
    if (object === undefined) return undefined
    const { kind = "" } = object
    const address = target.at === "core" ? options.serverAddress : ""
    return this.kept([JSON.stringify(target), options.media, options.indented, address].join(" "), async () =>
      encode(object, options, async () => (await this.parts.body({ group: "meta", version: "v1", kind })).codec),
    )
  }

  /** The aggregated document of the core group or of all others. `version`: `v2`. */
  aggregated(at: "core" | "groups", options: { media: Media; indented: boolean; version: string }): Promise<Document> {
    const { media, indented, version } = options
    return this.kept(["aggregated", at, media, indented, version].join(" "), async () => {
      const groups = this.current().filter(({ group }) => (group === "") === (at === "core"))
      const codec = async (): Promise<ProtobufCodec> => {
        const { shape } = await this.parts.body({ group: "meta", version: "v1", kind: "PartialObjectMetadata" })
        return createProtobufCodec(groupDiscoveryListShape(shape))
      }
      return encode(groupDiscoveryList(groups, version, this.parts.vendor), { media, indented }, codec)
    })
  }

  /** The groups that are served now. */
  current(): readonly ServedGroup[] {
    const { kinds } = this.parts
    if (this.revision !== kinds.revision) {
      this.revision = kinds.revision
      this.groups = servedGroups(kinds.served())
      this.documents = new Map()
    }
    return this.groups
  }

  private object(target: DiscoveryTarget, serverAddress: string): ApiObject | undefined {
    const { vendor } = this.parts
    const groups = this.current()
    const named = (name: string): ServedGroup | undefined => groups.find(({ group }) => group === name)
    switch (target.at) {
      case "core":
        return apiVersions(named(""), serverAddress)
      case "groups":
        return apiGroupList(
          groups.filter(({ group }) => group !== ""),
          vendor,
        )
      case "group": {
        const group = named(target.group)
        return group === undefined ? undefined : apiGroup(group, vendor)
      }
      case "version": {
        const served = named(target.group)?.versions.find(({ version }) => version === target.version)
        return served === undefined ? undefined : apiResourceList(served, vendor)
      }
    }
  }

  private kept(key: string, make: () => Promise<Buffer>): Promise<Document> {
    this.current()
    const { documents } = this
    const known = documents.get(key)
    if (known !== undefined) return known
    const made = make().then((bytes) => ({ bytes, tag: `"${createHash("sha512").update(bytes).digest("hex").toUpperCase()}"` }))
    documents.set(key, made)
    made.catch(() => documents.delete(key))
    return made
  }
}

async function encode(
  object: ApiObject,
  options: { media: Media; indented: boolean },
  codec: () => Promise<ProtobufCodec>,
): Promise<Buffer> {
  const { media, indented } = options
  return media === "compact" ? encodeWith(media, object, await codec()) : encodeText(media, object, indented)
}

/**
 * The aggregated form that a request asks for; undefined when it asks for no supported one. Clauses of Accept for an
 * aggregated form take precedence over all others, whatever their order, as in the reference.
 */
export function aggregatedForm(
  accept: string | undefined,
  options: Pick<ServerParts, "vendor">,
): (Negotiated & { version: string }) | undefined {
  const clauses = acceptClauses(accept ?? "").filter((clause) => /;\s*as=/.test(clause))
  if (clauses.length === 0) return undefined
  try {
    const negotiated = negotiate(clauses.join(","), { vendor: options.vendor, renderings: "discovery" })
    return negotiated.as === undefined ? undefined : { ...negotiated, version: negotiated.as.version }
  } catch {
    return undefined
  }
}
