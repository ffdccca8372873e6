/** Stand-in: crd-check owns this folder. */
import type { Failures } from "../../base/failure.ts"
import type { Vendor } from "../../base/vendor.ts"

export function checkDefinition(definition: object, failures: Failures, options: { readonly old?: object; readonly vendor: Vendor }): void {
  void [definition, failures, options]
}
