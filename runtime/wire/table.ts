/**
 * Tables and partial metadata: other forms of decoded objects; specification section 2.4, catalog `tables.yaml`
 * envelope.
 */
import { badRequest } from "../base/errors.ts"
import type { ApiObject, JsonObject, JsonValue } from "../base/json.ts"
import type { Column, RowConditions } from "../schema/kind.ts"
import { cut } from "../base/quote.ts"
import type { TypeShape } from "../schema/shape.ts"
import type { Vendor } from "../base/vendor.ts"

/** The part of an object that a row includes. */
export type IncludeObject = "Metadata" | "Object" | "None"

/** Reads the query parameter of that name. Throws ApiError 400. */
export function readIncludeObject(query: URLSearchParams): IncludeObject {
  const value = query.get("includeObject") ?? ""
  if (value === "" || value === "Metadata") return "Metadata"
  if (value === "Object" || value === "None") return value
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(cut(value))}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

export interface TableOptions {
  readonly vendor: Vendor
  /** The requested version of the meta group. */
  readonly version: string
  readonly columns: readonly Column[]
  readonly includeObject: IncludeObject
  readonly nowMs: number
  /** Omits the column definitions: every event of a watch except the first. */
  readonly noHeaders?: boolean
  readonly rowConditions?: RowConditions
}

/** `meta.orch.io/v1` in the vendor's spelling: the apiVersion of a Table or of partial metadata. */
export function metaApiVersion(vendor: Vendor, version: string): string {
  return `${vendor.group("meta.orch.io")}/${version}`
}

/**
 * Called for lists, single objects and watch events. `metadata` is the list's, or just the object's resourceVersion.
 */
export function renderTable(objects: Iterable<ApiObject>, metadata: JsonObject, options: TableOptions): JsonObject {
  const rows: JsonValue[] = []
  for (const object of objects) rows.push(tableRow(object, options))
  return { ...tableHead(metadata, options), rows }
}

/** A Table without its rows, for writers that append them one by one. */
export function tableHead(metadata: JsonObject, options: TableOptions): JsonObject {
  return {
    kind: "Table",
    apiVersion: metaApiVersion(options.vendor, options.version),
    metadata,
    columnDefinitions: options.noHeaders === true ? null : options.columns.map(columnDefinition),
  }
}

function columnDefinition(column: Column): JsonObject {
  const { name, type, format, description, priority } = column
  return { name, type, format, description, priority }
}

/** One row. `object` is in the requested version. */
export function tableRow(object: ApiObject, options: TableOptions): JsonObject {
  const context = { nowMs: options.nowMs, vendor: options.vendor }
  const conditions = options.rowConditions?.(object, context) ?? []
  return {
    cells: options.columns.map((column) => column.value(object, context)),
    ...(conditions.length > 0 && { conditions }),
    object: rowObject(object, options),
  }
}

function rowObject(object: ApiObject, options: TableOptions): JsonValue {
  if (options.includeObject === "None") return null
  return options.includeObject === "Object" ? object : renderPartial(object, options)
}

/** PartialObjectMetadata: only the object's metadata. */
export function renderPartial(object: ApiObject, options: { vendor: Vendor; version: string }): ApiObject {
  return { kind: "PartialObjectMetadata", apiVersion: metaApiVersion(options.vendor, options.version), metadata: object.metadata ?? {} }
}

/** The metadata of a Table with one object. */
export function singleMetadata(object: ApiObject): JsonObject {
  const resourceVersion = object.metadata?.resourceVersion ?? ""
  return resourceVersion === "" ? {} : { resourceVersion }
}

/** The number of the field `metadata` in PartialObjectMetadata messages. */
export const partialMetadataNumber = 1

/** Shape of PartialObjectMetadata, for protobuf; `metadata` is the shape of ObjectMeta. */
export function partialShape(metadata: TypeShape): TypeShape {
  const field = { name: "metadata", type: { ref: () => metadata }, number: partialMetadataNumber }
  return { name: "meta.v1.PartialObjectMetadata", fields: [field] }
}
