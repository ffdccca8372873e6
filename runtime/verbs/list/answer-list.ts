/** Sends a list: joins cached bytes into large writes, in the negotiated format. */
import type { TableOptions } from "../../wire/table.ts"
import type { JsonObject } from "../../base/json.ts"
import { stringify } from "../../encoding/json/text.ts"
import { type Trace, untraced } from "../../base/trace.ts"
import { cutWork, decodeWork, encodeWork, lookWork, parseWork } from "../../base/work.ts"
import type { RequestAudit } from "../../http/request/audit.ts"
import type { ListPage } from "../../registry/read.ts"
import type { CachedObject } from "../../storage/cache.ts"
import { protobufListPieces } from "../../wire/list-protobuf.ts"
import { type JsonList, jsonListPieces, type Piece, prettyListPieces, yamlListPieces } from "../../wire/list-pieces.ts"
import { writePieces } from "../../wire/list-writer.ts"
import { auditedObjectBytesMax } from "../../base/audit-limits.ts"
import { inTurns, Turns } from "../../base/turns.ts"
import { droppingManagedFields } from "../../encoding/json/drop-managed-fields.ts"
import { gatherPieces } from "../../wire/gather-pieces.ts"
import { metaApiVersion, tableHead, tableRow } from "../../wire/table.ts"
import type { ResourceRequest, ResponseFormat } from "../call.ts"
import { sortInTurns } from "../../registry/sort-in-turns.ts"
import { listOrder } from "./list-extensions.ts"
import { HeldMessages, releasing } from "./held-messages.ts"
import { partialJson, partialMessage, tableOptions } from "../render.ts"
import { jsonOf, objectOf } from "../represent.ts"

/**
 * Called by list and deletecollection. Resolves when all bytes have been handed to the connection, or when the client
 * is gone.
 */
export async function answerList(call: ResourceRequest, answer: { format: ResponseFormat; page: ListPage }): Promise<void> {
  const { format } = answer
  const { audit, trace } = call.request
  const turns = new Turns()
  const rowOrder = rowOrderOf(call, format)
  trace.answering()
  const sorted = rowOrder === undefined ? answer.page : await inRowOrder(call, rowOrder, answer.page, turns)
  if (rowOrder !== undefined) trace.transformed()
  const page = audit?.keepsResponse === true ? repeatable(sorted) : sorted
  await writePieces({
    outgoing: call.outgoing,
    contentType: format.contentType,
    pieces:
      format.media === "compact"
        ? protobufPieces(call, format, page, turns)
        : textPieces(format, jsonList(call, format, page, { turns, trace })),
    gzip: format.gzip,
    warnings: call.request.warnings,
    signal: call.request.expiry,
    trace,
  })
  trace.written()
  if (audit !== undefined) await auditList(call, audit, { format, page })
}

/** A page that can be read twice. */
function repeatable({ items, runs, ...rest }: ListPage): ListPage {
  return { ...rest, items: [...items], ...(runs !== undefined && { runs: [...runs] }) }
}

/**
 * Reports a list to audit. Its JSON is gathered in turns, up to the size limit of an event, whether or not the client
 * read the list.
 */
async function auditList(
  call: ResourceRequest,
  audit: RequestAudit,
  { format, page }: { format: ResponseFormat; page: ListPage },
): Promise<void> {
  if (!audit.keepsResponse) return audit.answered(200)
  const asJson: ResponseFormat = { ...format, media: "json", indented: false }
  const json = await gatherPieces(jsonListPieces(jsonList(call, asJson, page, { turns: new Turns() })), auditedObjectBytesMax)
  if (json === undefined) return audit.answeredTooLarge(200)
  const whole = json.subarray(0, json.lastIndexOf("}") + 1)
  audit.answered(200, audit.omitsManagedFields ? await inTurns(droppingManagedFields(whole)) : whole)
}

/** The field by which rows are sorted; undefined unless the answer is a Table of a kind that has one. */
function rowOrderOf({ handle, request }: ResourceRequest, format: ResponseFormat): string | undefined {
  // The client's own order wins.
  return format.as?.kind === "Table" && !request.query.get("sortBy") ? handle.kind.rowOrder : undefined
}

/** Objects that are equal keep the order of the list. */
async function inRowOrder(call: ResourceRequest, rowOrder: string, page: ListPage, turns: Turns): Promise<ListPage> {
  const order = listOrder(call.handle, rowOrder)
  const placed: { readonly object: CachedObject; readonly keys: readonly Buffer[] }[] = []
  for (const object of page.items) {
    const work = lookWork + order.work(object)
    placed.push({ object, keys: order.keys(object) })
    if (turns.isOver(work)) await turns.next()
  }
  const sorted = await sortInTurns(placed, (one, other) => order.compare(one.keys, other.keys), turns)
  const { runs: _runs, ...rest } = page
  return { ...rest, items: sorted.map(({ object }) => object) }
}

function textPieces(format: ResponseFormat, list: JsonList): Iterable<Uint8Array | Piece | Turns> {
  if (format.media === "yaml") return yamlListPieces(list)
  return format.indented ? prettyListPieces(list) : jsonListPieces(list)
}

function jsonList(
  call: ResourceRequest,
  format: ResponseFormat,
  page: ListPage,
  { turns, trace = untraced }: { readonly turns: Turns; readonly trace?: Trace },
): JsonList {
  const { handle, parts } = call
  const metadata = listMetadata(page)
  const made = (work: (item: CachedObject) => number, form: (item: CachedObject) => Buffer): Iterable<Buffer> =>
    mapped(page.items, (item) => {
      turns.isOver((item.hasJson ? lookWork : decodeWork(item.sizeBytes)) + work(item))
      return form(item)
    })
  if (format.as?.kind === "Table") {
    const options = tableOptions(call, format)
    const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...fields } = tableHead(metadata, options)
    const row = transforming(trace, (item) => tableRow(objectOf(handle, item), options))
    const items = made(parsedWork, (item) => Buffer.from(stringify(row(item))))
    return {
      kind: "Table",
      apiVersion: metaApiVersion(parts.vendor, options.version),
      metadata,
      fields,
      items,
      turns,
      itemsField: "rows",
      // The reference builds the Tables of kinds without own columns differently.
      emptyItems: handle.kind.custom === undefined && isDefault(options.columns) ? "null" : "[]",
    }
  }
  if (format.as !== undefined) {
    const apiVersion = metaApiVersion(parts.vendor, format.as.version)
    const items = made(
      ({ sizeBytes }) => cutWork(sizeBytes),
      transforming(trace, (item) => partialJson(call, format, item)),
    )
    return { kind: "PartialObjectMetadataList", apiVersion, metadata, items, turns, emptyItems: "null" }
  }
  const { kind } = handle
  const itemType = { kind: kind.kind, apiVersion: handle.apiVersion }
  return {
    kind: kind.listKind,
    apiVersion: handle.apiVersion,
    metadata,
    // Items of a definition's kind keep their kind and apiVersion, as in the reference.
    ...(kind.custom === undefined && { itemType }),
    items: handle.readsOwnVersion ? made(noWork, (item) => item.json()) : made(parsedWork, (item) => jsonOf(handle, item)),
    turns,
    ...(handle.readsOwnVersion && { places: page.items, ...(page.runs !== undefined && { runs: page.runs }) }),
  }
}

/**
 * Adds the time of each item to the trace of the request. The items are made while the list is written, so this time is
 * also part of `serialize-response-object`.
 */
function transforming<Form>(trace: Trace, form: (item: CachedObject) => Form): (item: CachedObject) => Form {
  if (!trace.measures) return form
  return (item) => {
    const sinceMs = trace.elapsedMs()
    const made = form(item)
    trace.add("transform-response-object", sinceMs)
    return made
  }
}

const noWork = (): number => 0
/** Time to parse JSON and to encode the result. */
const parsedWork = ({ sizeBytes }: CachedObject): number => parseWork(sizeBytes) + encodeWork(sizeBytes)

/** Protobuf writes lengths first, so the items and the measured messages are kept. */
function protobufPieces(call: ResourceRequest, format: ResponseFormat, page: ListPage, turns: Turns): Iterable<Uint8Array | Turns> {
  const { handle, parts } = call
  const metadata = listMetadata(page)
  if (format.as !== undefined) {
    const apiVersion = metaApiVersion(parts.vendor, format.as.version)
    const form = { name: "partial", message: (item: CachedObject) => partialMessage(call, item) }
    const items = new HeldMessages(handle, page, turns, form)
    const list = { kind: "PartialObjectMetadataList", apiVersion, metadata, sizes: items.sizes(), items, turns }
    return releasing(items, protobufListPieces(list))
  }
  const items = new HeldMessages(handle, page, turns)
  const list = { kind: handle.kind.listKind, apiVersion: handle.apiVersion, metadata, sizes: items.sizes(), items, turns }
  return releasing(items, protobufListPieces(list))
}

/** ListMeta; specification section 2.3. */
function listMetadata(page: ListPage): JsonObject {
  return {
    ...(page.revision > 0 && { resourceVersion: String(page.revision) }),
    ...(page.continueToken !== "" && { continue: page.continueToken }),
    ...(page.remainingItemCount !== undefined && { remainingItemCount: page.remainingItemCount }),
  }
}

function* mapped(items: Iterable<CachedObject>, form: (item: CachedObject) => Buffer): Generator<Buffer> {
  for (const item of items) yield form(item)
}

/** Whether these are the columns of a kind without own columns. */
function isDefault([_name, second, third]: TableOptions["columns"]): boolean {
  return second?.name === "Created At" && third === undefined
}
