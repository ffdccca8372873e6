/** The built-in admission plugins. To add one, add a file beside this one and a line here. */
import { StartError } from "../../launch/start-error.ts"
import type { Options } from "../../options/table.ts"
import type { AdmissionPluginFactory } from "../plugin-deps.ts"
import { namespaceLifecycle } from "./namespace-lifecycle.ts"
import { nodeRestriction } from "./node-restriction.ts"

interface BuiltIn {
  readonly name: string
  readonly byDefault: boolean
  readonly make: AdmissionPluginFactory
}

/** In the order of the reference (catalog admission.yaml: order). */
const builtIn: readonly BuiltIn[] = [
  { name: "NamespaceLifecycle", byDefault: true, make: namespaceLifecycle },
  { name: "NodeRestriction", byDefault: false, make: nodeRestriction },
]

/**
 * The factories of the enabled plugins, in order: the default ones, as changed by `--enable-admission-plugins` and
 * `--disable-admission-plugins`. Called at start. Throws StartError for an unknown name, and for one in both options.
 */
export function choosePlugins(
  options: Pick<Options, "enable-admission-plugins" | "disable-admission-plugins">,
): readonly AdmissionPluginFactory[] {
  const enable = options["enable-admission-plugins"]
  const disable = options["disable-admission-plugins"]
  const known = builtIn.map(({ name }) => name)
  for (const [flag, names] of Object.entries({ enable, disable })) {
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0)
      throw new StartError(`--${flag}-admission-plugins: ${unknown.join(", ")} is not known; the admission plugins are ${known.join(", ")}`)
  }
  const both = enable.filter((name) => disable.includes(name))
  if (both.length > 0) throw new StartError(`--enable-admission-plugins and --disable-admission-plugins both name ${both.join(", ")}`)
  return builtIn.filter(({ name, byDefault }) => (byDefault || enable.includes(name)) && !disable.includes(name)).map(({ make }) => make)
}
