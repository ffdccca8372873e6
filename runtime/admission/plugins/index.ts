/** The built-in admission plugins. To add one, add a file beside this one and a line here. */
import { StartError } from "../../base/start-error.ts"
import type { Options } from "../../options/table.ts"
import type { AdmissionPluginFactory } from "../plugin-deps.ts"
import { absentPlugins, permanentPlugins } from "./absent-plugins.ts"
import { namespaceLifecycle } from "./namespace-lifecycle.ts"
import { nodeRestriction } from "./node-restriction.ts"
import { storageProtection } from "./storage-protection.ts"

interface BuiltIn {
  readonly name: string
  readonly byDefault: boolean
  readonly make: AdmissionPluginFactory
}

/** In the order of the reference (catalog admission.yaml: order). */
const builtIn: readonly BuiltIn[] = [
  { name: "NamespaceLifecycle", byDefault: true, make: namespaceLifecycle },
  { name: "NodeRestriction", byDefault: false, make: nodeRestriction },
  // The objects stay until a controller manager takes the finalizers away, and this server has no such controller.
  { name: "StorageObjectInUseProtection", byDefault: false, make: storageProtection },
]

/**
 * The factories of the enabled plugins, in order: the default ones, as changed by `--enable-admission-plugins` and
 * `--disable-admission-plugins`. Called at start. Accepts plugins of the reference that are not implemented here, and
 * warns of what is not enforced. Throws StartError for an unknown name, and for one in both options.
 */
export function choosePlugins(
  options: Pick<Options, "enable-admission-plugins" | "disable-admission-plugins">,
  warn: (text: string) => void,
): readonly AdmissionPluginFactory[] {
  const enable = options["enable-admission-plugins"]
  const disable = options["disable-admission-plugins"]
  const own = builtIn.map(({ name }) => name)
  const known = new Set([...own, ...permanentPlugins, ...Object.keys(absentPlugins)])
  for (const [flag, names] of Object.entries({ enable, disable })) {
    const unknown = names.filter((name) => !known.has(name))
    if (unknown.length > 0)
      throw new StartError(`--${flag}-admission-plugins: ${unknown.join(", ")} is not known; the admission plugins are ${own.join(", ")}`)
  }
  const both = enable.filter((name) => disable.includes(name))
  if (both.length > 0) throw new StartError(`--enable-admission-plugins and --disable-admission-plugins both name ${both.join(", ")}`)
  for (const name of enable)
    if (absentPlugins[name] !== undefined)
      warn(`--enable-admission-plugins: ${name} is not enforced by this server: ${absentPlugins[name]}`)
  for (const name of disable) {
    if (absentPlugins[name] !== undefined) warn(`--disable-admission-plugins: this server does not have ${name} anyway`)
    if (permanentPlugins.includes(name)) warn(`--disable-admission-plugins: ${name} stays on, no option turns it off`)
  }
  return builtIn.filter(({ name, byDefault }) => (byDefault || enable.includes(name)) && !disable.includes(name)).map(({ make }) => make)
}
