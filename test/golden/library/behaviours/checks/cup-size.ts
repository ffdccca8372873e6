import { defineCheck } from "../../../../../runtime/schema/index.ts"

/** A validator that a schema names: the golden cases type-check against it. */
export const cupSize = defineCheck(() => {})
