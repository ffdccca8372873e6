/** The encoded OpenAPI documents: mapped to the vendor's names, hashed and compressed once, on first request. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { isObject, type JsonValue } from "../base/json.ts"
import type { ServerParts } from "../server-parts.ts"
import type { Vendor } from "../base/vendor.ts"
import { compareText } from "../registry/group-order.ts"
import { nextTurn } from "../base/turns.ts"
import type { Kind } from "../schema/kind.ts"
import { CustomGroupVersion, CustomSource, type Version2Members, withMembers } from "./custom-documents.ts"
import { encodeOpenApiV2 } from "./protobuf-v2.ts"
import { encodeOpenApiV3 } from "./protobuf-v3.ts"
import { mapDocument } from "./vendor.ts"

const compress = promisify(gzip)
const expand = promisify(gunzip)

/**
 * One document in one form. Only the compressed bytes are kept: nearly every client accepts them, and they are a
 * fifteenth of the size.
 */
export class OpenApiDocument {
  private constructor(
    /** Hash of the JSON, in upper-case hexadecimal; the same for every form of a document. */
    readonly hash: string,
    readonly gzipped: Buffer,
  ) {}

  static async of(bytes: Buffer, hash?: string): Promise<OpenApiDocument> {
    return new OpenApiDocument(hash ?? createHash("sha512").update(bytes).digest("hex").toUpperCase(), await compress(bytes))
  }

  /** The uncompressed bytes. */
  bytes(): Promise<Buffer> {
    return expand(this.gzipped)
  }
}

/**
 * Created once per server. Paths use wire names: `v2`, `v3/apis/events.k8s.io/v1`. Documents of built-in kinds never
 * change; those of definitions' kinds, the index and version 2 follow the table of kinds.
 */
export class OpenApiDocuments {
  private readonly vendor: Vendor
  private readonly sources: ReadonlyMap<string, () => Promise<Buffer>>
  private readonly made = new Map<string, Promise<OpenApiDocument>>()
  private readonly customSource: CustomSource
  /** By path. */
  private custom = new Map<string, CustomGroupVersion>()
  private revision = -1

  constructor(private readonly parts: Pick<ServerParts, "vendor" | "openapi" | "kinds">) {
    this.vendor = parts.vendor
    this.sources = new Map([...parts.openapi].map(([path, read]) => [wirePath(path, parts.vendor), read]))
    this.customSource = new CustomSource(parts)
  }

  /** Undefined when there is no such document. */
  document(path: string): Promise<OpenApiDocument> | undefined {
    this.followKinds()
    const custom = this.custom.get(path)
    if (custom !== undefined) return this.kept(path, async () => OpenApiDocument.of(await custom.version3()))
    const read = this.sources.get(path)
    return read === undefined
      ? undefined
      : this.kept(path, async () => {
          const text = mapDocument((await read()).toString(), this.vendor)
          return OpenApiDocument.of(Buffer.from(path === "v2" ? await this.withCustomKinds(text) : text))
        })
  }

  /** Drops documents that kinds of definitions have changed. */
  private followKinds(): void {
    const { kinds } = this.parts
    if (this.revision === kinds.revision) return
    this.revision = kinds.revision
    const found = new Map<string, Kind[]>()
    for (const kind of kinds.served()) {
      if (kind.custom === undefined) continue
      const path = `v3/apis/${this.vendor.group(kind.group)}/${kind.version}`
      const ofPath = found.get(path)
      if (ofPath === undefined) found.set(path, [kind])
      else ofPath.push(kind)
    }
    const before = this.custom
    this.custom = new Map()
    let isSame = before.size === found.size
    for (const [path, ofPath] of found) {
      // Documents of a group of the server's own stay as they are.
      if (this.sources.has(path)) continue
      const known = before.get(path)
      if (known?.isOf(ofPath) === true) this.custom.set(path, known)
      else {
        isSame = false
        this.custom.set(path, new CustomGroupVersion(path, ofPath, this.customSource))
        this.forget(path)
      }
    }
    for (const path of before.keys()) if (!this.custom.has(path)) this.forget(path)
    if (isSame) return
    this.forget("v2")
    this.forget("v3")
  }

  private forget(path: string): void {
    this.made.delete(path)
    this.made.delete(`${path} compact`)
  }

  private async withCustomKinds(text: string): Promise<string> {
    const added: Version2Members[] = []
    for (const custom of this.custom.values()) {
      added.push(await custom.version2Members())
      await nextTurn()
    }
    return withMembers(text, added)
  }

  /** Like `document`, in the protobuf form that kubectl requests. Encoded once, on first request. */
  compact(path: string): Promise<OpenApiDocument> | undefined {
    const plain = this.document(path)
    if (plain === undefined) return undefined
    return this.kept(`${path} compact`, async () => {
      const document = await plain
      const decoded: JsonValue = JSON.parse((await document.bytes()).toString())
      const encode = path === "v2" ? encodeOpenApiV2 : encodeOpenApiV3
      return OpenApiDocument.of(encode(isObject(decoded) ? decoded : {}), document.hash)
    })
  }

  /**
   * `/openapi/v3`: the address of each group version's document. It contains a hash of the document, so that clients
   * can cache it.
   */
  index(): Promise<OpenApiDocument> {
    this.followKinds()
    return this.kept("v3", async () => {
      const paths: Record<string, { serverRelativeURL: string }> = {}
      const served = [...this.sources.keys(), ...this.custom.keys()].filter((path) => path.startsWith("v3/"))
      for (const path of served.sort(compareText)) {
        const document = await this.document(path)
        await nextTurn()
        if (document !== undefined) paths[path.slice("v3/".length)] = { serverRelativeURL: documentUrl(path, document.hash) }
      }
      return OpenApiDocument.of(Buffer.from(`${JSON.stringify({ paths })}\n`))
    })
  }

  private kept(path: string, make: () => Promise<OpenApiDocument>): Promise<OpenApiDocument> {
    const known = this.made.get(path)
    if (known !== undefined) return known
    const made = make()
    this.made.set(path, made)
    made.catch(() => {
      if (this.made.get(path) === made) this.made.delete(path)
    })
    return made
  }
}

/** The address under which a document never changes. */
export function documentUrl(path: string, hash: string): string {
  return `/openapi/${path}?hash=${hash}`
}

function wirePath(neutral: string, vendor: Vendor): string {
  const [kind, root, group, ...rest] = neutral.split("/")
  return kind === "v3" && root === "apis" && group !== undefined ? [kind, root, vendor.group(group), ...rest].join("/") : neutral
}
