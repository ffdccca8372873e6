/** Warnings about a volume (catalog validation.yaml: PersistentVolume, warnings). */
import { defineWarning } from "../../schema/define.ts"
import { renamedLabel } from "../pods/affinity-warnings.ts"
import { fading, shownSource } from "../pods/volume-warnings.ts"
import type { PersistentVolumeSpec } from "../../../generated/core/v1/persistent-volume/types.ts"

/** The reference does not warn of these. */
const silent: ReadonlySet<string> = new Set(["flocker", "quobyte"])

/** Called with the spec of a volume: deprecated sources and renamed labels of nodes. */
export const persistentVolume = defineWarning<PersistentVolumeSpec>((spec, at, _object, { vendor }) => {
  const sources = Object.entries(fading).flatMap(([source, text]) =>
    source in spec && !silent.has(source) ? [`${at}.${shownSource(source)}: ${text}`] : [],
  )
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const labels = terms.flatMap(({ matchExpressions = [] }, term) =>
    matchExpressions.flatMap(({ key }, index) => {
      const renamed = renamedLabel(key, vendor)
      const place = `${at}.nodeAffinity.required.nodeSelectorTerms[${term}].matchExpressions[${index}].key`
      return renamed === undefined ? [] : [`${place}: ${key} is ${renamed}`]
    }),
  )
  return [...sources, ...labels]
})
