import { defineCell } from "../../../../../runtime/schema/index.ts"

/** A cell function that a column names. */
export const boiling = defineCell(() => ({ degrees: 100 }))
