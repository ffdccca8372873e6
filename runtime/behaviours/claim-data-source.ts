/**
 * The two ways in which a claim names the source of its volume's content (catalog defaults.yaml:
 * PersistentVolumeClaim): `dataSource` knows claims and snapshots, `dataSourceRef` any object.
 */
import type { BehaviourDeps } from "../schema/behaviour.ts"
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { PersistentVolumeClaim } from "../../generated/core/v1/persistent-volume-claim/types.ts"
import type { PersistentVolumeClaimSpec } from "../../generated/core/v1/shared/persistent-volume-claim-spec/types.ts"

const snapshotGroup = "snapshot.storage.k8s.io"

/**
 * Behaviour `claimDataSource`: a new claim is pending, and its two data sources say the same. Fields of gates that are
 * off are dropped.
 */
export const claimDataSource = defineBehaviour<PersistentVolumeClaim>(({ options }) => ({
  prepareCreate(object) {
    object.status = { phase: "Pending" }
    // Copied because the spec may be the client's own object, which every attempt shares.
    object.spec = deepClone(object.spec)
    if (namesOther(object) && !mayNameOther(options)) delete object.spec.dataSourceRef
    if (!hasClasses(options)) delete object.spec.volumeAttributesClassName
    keepInStep(object.spec, false)
  },
  prepareUpdate(object, old, { subresource }) {
    if (subresource !== undefined) return
    if (!hasClasses(options) && old.spec.volumeAttributesClassName === undefined) delete object.spec.volumeAttributesClassName
    if (namesOther(object) && !mayNameOther(options) && old.spec.dataSourceRef === undefined) delete object.spec.dataSourceRef
    keepInStep(object.spec, old.spec.dataSource !== undefined || old.spec.dataSourceRef !== undefined)
  },
}))

/** Whether the source is in another namespace. Without it the reference would name another object. */
function namesOther({ spec }: PersistentVolumeClaim): boolean {
  return (spec.dataSourceRef?.namespace ?? "") !== ""
}

function mayNameOther(options: BehaviourDeps["options"]): boolean {
  return options["feature-gates"]?.CrossNamespaceVolumeDataSource === true
}

/** Whether claims may name a class of attributes. Templates of claims always may: their claims lose it. */
function hasClasses(options: BehaviourDeps["options"]): boolean {
  return options["feature-gates"]?.VolumeAttributesClass === true
}

/** `inUse`: the stored claim has a source, which stays whatever it is. */
function keepInStep(spec: PersistentVolumeClaimSpec, inUse: boolean): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) {
    if (inUse || isKnownSource(dataSource.apiGroup ?? "", dataSource.kind)) spec.dataSourceRef = { ...dataSource }
    else delete spec.dataSource
  } else if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    const { apiGroup, kind, name } = dataSourceRef
    spec.dataSource = { apiGroup: apiGroup ?? null, kind, name }
  }
}

/** Other sources were dropped silently before there was `dataSourceRef`, and still are. */
function isKnownSource(group: string, kind: string): boolean {
  return (group === "" && kind === "PersistentVolumeClaim") || (group === snapshotGroup && kind === "VolumeSnapshot")
}
