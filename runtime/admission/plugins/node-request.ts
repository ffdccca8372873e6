/** Shared by the rules of NodeRestriction: a request of a node agent, and its refusal. */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { ApiError } from "../../base/errors.ts"
import type { ApiObject } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { typed } from "../../schema/typed.ts"
import type { RequestAttributes } from "../plugin.ts"
import type { AdmissionReader } from "../plugin-deps.ts"
import { refused } from "../refusal.ts"

/** A request of a node agent, with the dependencies of the plugin. */
export interface NodeRequest {
  readonly attributes: RequestAttributes
  readonly node: string
  readonly vendor: Vendor
  readonly reader: AdmissionReader
}

/** A promise if the rule reads other objects. Refusals are thrown. */
export type Judgement = undefined | Promise<undefined>

/** Prefixes the text: `node "n" must not ...`. */
export function refusedTo({ attributes, node }: NodeRequest, why: string): ApiError {
  return refused(attributes, `node ${JSON.stringify(node)} ${why}`)
}

/** The node that a pod is bound to; "": none. */
export function nodeNameOf(pod: ApiObject | undefined): string {
  return pod === undefined ? "" : (typed<Pod>(pod).spec.nodeName ?? "")
}
