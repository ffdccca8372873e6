/** The encoded OpenAPI documents: mapped to the vendor's names, hashed and compressed once, on first request. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { isObject, type JsonValue } from "../base/json.ts"
import type { ServerParts } from "../server-parts.ts"
import type { Vendor } from "../base/vendor.ts"
import { compareText } from "../registry/group-order.ts"
import { nextTurn, Turns } from "../base/turns.ts"
import { encodeWork } from "../base/work.ts"
import { CustomDocuments, withMembers } from "./custom-documents.ts"
import { encodeOpenApiV2 } from "./protobuf-v2.ts"
import { encodeOpenApiV3 } from "./protobuf-v3.ts"
import { mapDocument } from "./vendor.ts"

const compress = promisify(gzip)
const expand = promisify(gunzip)

/**
 * One document in one form. Only the compressed bytes are cached: nearly every client accepts them, and they are a
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

  /** Makes a document of these pieces, which may be tens of megabytes. Takes turns of the event loop. */
  static async ofPieces(pieces: Iterable<string>): Promise<OpenApiDocument> {
    const hash = createHash("sha512")
    const chunks: Buffer[] = []
    const turns = new Turns()
    for (const piece of pieces) {
      const bytes = Buffer.from(piece)
      hash.update(bytes)
      chunks.push(bytes)
      if (turns.isOver(encodeWork(bytes.length))) await turns.next()
    }
    return new OpenApiDocument(hash.digest("hex").toUpperCase(), await compress(Buffer.concat(chunks)))
  }

  /** The uncompressed bytes. */
  bytes(): Promise<Buffer> {
    return expand(this.gzipped)
  }
}

/**
 * Created once per server. Paths use wire names: `v2`, `v3/apis/events.k8s.io/v1`. Documents of built-in kinds never
 * change; documents of custom kinds, the index and version 2 follow the table of kinds.
 */
export class OpenApiDocuments {
  private readonly vendor: Vendor
  private readonly sources: ReadonlyMap<string, () => Promise<Buffer>>
  private readonly made = new Map<string, Promise<OpenApiDocument>>()
  private readonly custom: CustomDocuments

  constructor(parts: Pick<ServerParts, "vendor" | "openapi" | "kinds">) {
    this.vendor = parts.vendor
    this.sources = new Map([...parts.openapi].map(([path, read]) => [wirePath(path, parts.vendor), read]))
    this.custom = new CustomDocuments(parts)
  }

  /** Undefined when there is no such document. */
  document(path: string): Promise<OpenApiDocument> | undefined {
    this.followKinds()
    const custom = this.custom.groupVersion(path)
    if (custom !== undefined) return this.kept(path, async () => OpenApiDocument.of(await custom.version3()))
    if (path === "v2" && !this.custom.isEmpty) return this.kept(path, () => this.version2())
    return this.builtIn(path)
  }

  /** The document of the built-in kinds. */
  private builtIn(path: string): Promise<OpenApiDocument> | undefined {
    const read = this.sources.get(path)
    if (read === undefined) return undefined
    return this.kept(`${path} built in`, async () => OpenApiDocument.of(Buffer.from(mapDocument((await read()).toString(), this.vendor))))
  }

  /** Drops cached documents whose custom kinds have changed. */
  private followKinds(): void {
    const changed = this.custom.follow((path) => this.sources.has(path))
    for (const path of changed) this.forget(path)
    if (changed.length > 0) for (const path of ["v2", "v3"]) this.forget(path)
  }

  private forget(path: string): void {
    this.made.delete(path)
    this.made.delete(`${path} compact`)
  }

  /**
   * Splices the members of custom kinds into the text of the built-in kinds: parsing a megabyte would cost far more.
   */
  private async version2(): Promise<OpenApiDocument> {
    const text = (await (await this.builtIn("v2"))?.bytes())?.toString() ?? ""
    return OpenApiDocument.ofPieces(withMembers(text, await this.custom.version2()))
  }

  /** Like `document`, in the protobuf form that kubectl requests. Encoded once, on first request. */
  compact(path: string): Promise<OpenApiDocument> | undefined {
    const plain = this.document(path)
    if (plain === undefined) return undefined
    const builtIn = this.builtIn(path)
    if (plain === builtIn) return this.encoded(`${path} built in`, path, plain)
    if (path !== "v2" || builtIn === undefined) return this.encoded(path, path, plain)
    return this.kept("v2 compact", async () => {
      // Concatenated messages are one message with the members of all.
      const head = await this.encoded("v2 built in", path, builtIn)
      const added = await this.custom.version2()
      return OpenApiDocument.of(Buffer.concat([await head.bytes(), ...added.map(({ compact }) => compact)]), (await plain).hash)
    })
  }

  private encoded(name: string, path: string, plain: Promise<OpenApiDocument>): Promise<OpenApiDocument> {
    return this.kept(`${name} compact`, async () => {
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
      const served = [...this.sources.keys(), ...this.custom.paths()].filter((path) => path.startsWith("v3/"))
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
