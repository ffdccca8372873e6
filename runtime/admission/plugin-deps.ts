/** The dependencies of built-in admission plugins. */
import type { ApiObject } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import type { AdmissionPlugin, ResourceName } from "./plugin.ts"

export interface PluginDeps {
  readonly vendor: Vendor
  readonly reader: AdmissionReader
}

/** Called once per server for each enabled plugin. */
export type AdmissionPluginFactory = (deps: PluginDeps) => AdmissionPlugin

/** Lets plugins read objects. The composition root makes it, so that admission does not import the registry. */
export interface AdmissionReader {
  /** Whether the server serves the resource. */
  has(resource: ResourceName): boolean
  /**
   * Selectable fields of an object in the watch cache, which may lag behind another server. Returns a promise only
   * until the resource is open.
   */
  peek(resource: ResourceName, namespace: string, name: string): SelectableFields | undefined | Promise<SelectableFields | undefined>
  /** Reads the newest state. */
  get(resource: ResourceName, namespace: string, name: string): Promise<ApiObject | undefined>
}

export interface SelectableFields {
  /** The value of a field such as `status.phase`; "" if absent. */
  field(name: string): string
}
