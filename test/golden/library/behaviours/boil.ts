import { defineHandlers } from "../../../../runtime/schema/index.ts"

/** A behaviour that schemas name, for kinds and for sub-resources. */
export const boil = defineHandlers({})
