/** The versions of Node that run this package (package.json: engines). */

const oldest = [20, 19] as const

/** Returns what is wrong with a version of Node such as `18.20.8`; undefined when it runs this package. */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined
  return `orch-apiserver needs Node ${oldest.join(".")} or newer; this is Node ${version}`
}
