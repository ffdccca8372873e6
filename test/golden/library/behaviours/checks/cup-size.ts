/** Stands for a validator that a schema asks for: the golden cases type-check against it. */
import type { CheckContext, JsonObject } from "../../../../../runtime/schema/index.ts"

/** Finds nothing. */
export function check(_cup: JsonObject, _context: CheckContext): void {}
