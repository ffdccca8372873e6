/** Ports and addresses of a slice, for its Table columns (catalog tables.yaml: EndpointSlice). */
import { defineCell } from "../../schema/define.ts"
import type { EndpointPort, EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"

const shownMax = 3

/** Called for each row. Returns the first three of each as texts. */
export const endpointSliceParts = defineCell<EndpointSlice>(({ endpoints, ports }) => ({
  ports: first((ports ?? []).map(portText)),
  addresses: first((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
}))

function portText({ name = "*", port }: EndpointPort): string {
  return port === undefined ? name : String(port)
}

function first(texts: readonly string[]): string {
  const shown = texts.slice(0, shownMax).join(",")
  if (shown === "") return "<unset>"
  return shown + (texts.length > shownMax ? ` + ${texts.length - shownMax} more...` : "")
}
