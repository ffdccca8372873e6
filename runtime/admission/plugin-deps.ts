/** What built-in admission plugins are made of. */
import type { ApiObject } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import type { AdmissionPlugin, ResourceName } from "./plugin.ts"

export interface PluginDeps {
  readonly vendor: Vendor
  readonly reader: AdmissionReader
}

/** Called once per server for each plugin that is on. */
export type AdmissionPluginFactory = (deps: PluginDeps) => AdmissionPlugin

/** Objects as plugins read them; made by the composition root, so that admission imports no registry. */
export interface AdmissionReader {
  /** Whether the resource is served at all. */
  has(resource: ResourceName): boolean
  /**
   * Selectable fields of an object in the watch cache, which may lag behind another server. A promise only until the
   * resource is opened.
   */
  peek(resource: ResourceName, namespace: string, name: string): SelectableFields | undefined | Promise<SelectableFields | undefined>
  /** The newest state. */
  get(resource: ResourceName, namespace: string, name: string): Promise<ApiObject | undefined>
}

export interface SelectableFields {
  /** "" when absent: `status.phase`. */
  field(name: string): string
}
