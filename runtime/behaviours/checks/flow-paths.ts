/** Paths in flow schemas (catalog validation.yaml: FlowSchema). */
import { defineCheck } from "../../schema/define.ts"

/** Called for each rule about paths that are no resources. */
export const flowPaths = defineCheck<{ nonResourceURLs?: string[] | null }>((rule, context) => {
  const paths = rule.nonResourceURLs ?? []
  const at = "nonResourceURLs"
  if (paths.length === 0) return context.fail("Required", undefined, `${at} must contain at least one value`, at)
  if (paths.includes("*")) {
    if (paths.length > 1) context.fail("Invalid", paths, "if '*' is present, must not specify other non-resource URLs", at)
    return
  }
  for (const [index, path] of paths.entries()) {
    const fault = pathFault(path)
    if (fault !== undefined) context.fail("Invalid", path, fault, `${at}[${index}]`)
  }
})

function pathFault(path: string): string | undefined {
  if (path === "") return "must not be empty"
  if (!path.startsWith("/")) return "must start with slash"
  if (path.includes(" ")) return "must not contain white-space"
  if (path.includes("//")) return "must not contain double slash"
  const star = path.indexOf("*")
  return star < 0 || (star === path.length - 1 && path.endsWith("/*")) ? undefined : "wildcard can only do suffix matching"
}
