/**
 * The number of a daemon set's template, which versions before v1 had as a field and v1 has as an annotation (catalog
 * resources.yaml: daemonsets). The server counts; what clients send is replaced.
 */
import { badRequest } from "../base/errors.ts"
import { quoted } from "../base/quote.ts"
import { defineBehaviour } from "../schema/define.ts"
import { deepEqual } from "../encoding/field-path.ts"
import type { DaemonSet } from "../../generated/apps/v1/daemon-set/types.ts"

const annotation = "deprecated.daemonset.template.generation"

/** Behaviour `templateGeneration`: 1 for a new object, one more whenever the template changes. */
export const templateGeneration = defineBehaviour<DaemonSet>({
  decoded(object) {
    const given = object.metadata.annotations?.[annotation]
    if (given === undefined) object.metadata.annotations = { ...object.metadata.annotations, [annotation]: "0" }
    else if (!/^[+-]?\d+$/.test(given))
      throw badRequest(
        `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${quoted(given)}: invalid syntax`,
      )
  },
  prepareCreate: (object) => count(object, 1),
  prepareUpdate(object, old, { subresource }) {
    const before = Number(old.metadata.annotations?.[annotation] ?? "0")
    const isChanged = subresource === undefined && !deepEqual(object.spec.template, old.spec.template)
    count(object, isChanged ? before + 1 : before)
  },
})

function count(object: DaemonSet, generation: number): void {
  object.metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, [annotation]: String(generation) } }
}
