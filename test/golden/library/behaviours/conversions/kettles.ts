/** Stands for a named conversion. */
import type { ApiObject } from "../../../../../runtime/schema/index.ts"

/** Changes nothing. */
export function toStored(kettle: ApiObject): ApiObject {
  return kettle
}

/** Changes nothing. */
export function fromStored(kettle: ApiObject): ApiObject {
  return kettle
}
