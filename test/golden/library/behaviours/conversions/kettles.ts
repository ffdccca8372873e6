import { type ApiObject, defineConversion } from "../../../../../runtime/schema/index.ts"

/** A named conversion that changes nothing. */
export const kettles = defineConversion<ApiObject, ApiObject>({ toStored: (kettle) => kettle, fromStored: (kettle) => kettle })
