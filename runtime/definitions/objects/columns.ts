/**
 * Table columns of custom objects, from `additionalPrinterColumns`. Rules are those of apiextensions-apiserver
 * (pkg/registry/customresource/tableconvertor).
 */
import type { JsonValue } from "../../base/json.ts"
import type { Column } from "../../schema/kind.ts"

/**
 * The columns of a definition's version: Name, then those it declares, or Age when it declares none. `declared` is
 * `additionalPrinterColumns` as it is stored.
 */
export function columnsOfDefinition(declared: JsonValue | undefined): readonly Column[] {
  void declared
  return []
}
