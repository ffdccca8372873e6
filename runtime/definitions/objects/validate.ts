/**
 * Validation of custom objects by the schema of their definition: what kube-openapi's pkg/validation and
 * apiextensions-apiserver check, with their texts, causes and order.
 */
import type { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue, ObjectMeta } from "../../base/json.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import type { Structural } from "../structural.ts"

/** The replicas paths of a definition's scale sub-resource, with their leading dot. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** Adds the failures of an embedded resource's metadata at `path`, as `spec.template.metadata`. */
export type MetadataCheck = (metadata: ObjectMeta, path: string, failures: Failures) => void

export interface ValidateOptions {
  /** The stored object, on update. Lists that repeat items already may go on doing so. */
  readonly old?: JsonObject
  /** Faults of values that the update leaves as they are count no more (gate CRDValidationRatcheting). Default true. */
  readonly ratchet?: boolean
  readonly scale?: ScalePaths
  readonly checkMetadata?: MetadataCheck
}

/** Adds every failure of a custom object but those of its own `metadata`, `apiVersion` and `kind`, and of rules. */
export function validateObject(object: JsonObject, schema: Structural, failures: Failures, options: ValidateOptions = {}): void {
  atOnce(validatingObject(object, schema, failures, options))
}

/** `validateObject` in steps. */
export function* validatingObject(object: JsonObject, schema: Structural, failures: Failures, options: ValidateOptions = {}): Stages<void> {
  void [object, schema, failures, options]
}

/** Validates what an update of `/status` changes. Field paths begin below `status`, as in the reference. */
export function* validatingStatus(object: JsonObject, schema: Structural, failures: Failures, options: ValidateOptions = {}): Stages<void> {
  void [object, schema, failures, options]
}

/** Whether rules (CEL) are not evaluated, because values have a wrong type or size. */
export function preventRules(failures: Failures): boolean {
  void failures
  return false
}

export type Checked = JsonValue
