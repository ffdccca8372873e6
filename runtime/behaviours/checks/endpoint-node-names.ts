/**
 * An address of endpoints keeps its node: a different node name is most likely a mistake (catalog validation.yaml:
 * Endpoints).
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, textOf } from "../pods/fields.ts"

/** Called for the endpoints of a service; only an update can violate it. */
export function endpointNodeNames(endpoints: JsonValue, context: CheckContext): void {
  const { oldRoot } = context
  if (oldRoot === undefined) return
  const stored = placedAddresses(oldRoot)
  const known = new Map(stored.map(({ address }) => [textOf(address, "ip"), textOf(address, "nodeName")]))
  for (const { address, path } of placedAddresses(endpoints)) {
    const [before, now] = [known.get(textOf(address, "ip")) ?? "", textOf(address, "nodeName")]
    if (before !== "" && now !== "" && before !== now) {
      context.fail(
        "Forbidden",
        undefined,
        `cannot change from ${before} to ${now} for address ${textOf(address, "ip")}`,
        `${path}.nodeName`,
      )
    }
  }
}

function placedAddresses(endpoints: JsonValue): { address: JsonObject; path: string }[] {
  return listOf(endpoints, "subsets").flatMap((subset, index) =>
    ["addresses", "notReadyAddresses"].flatMap((list) =>
      listOf(subset, list).map((address, at) => ({ address, path: `subsets[${index}].${list}[${at}]` })),
    ),
  )
}
