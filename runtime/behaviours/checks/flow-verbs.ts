/** The verbs of rules of flow schemas (catalog validation.yaml: FlowSchema). */
import { defineCheck } from "../../schema/define.ts"

const known: ReadonlySet<string> = new Set(["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"])

/** Called for each rule, whether about resources or about other paths. */
export const flowVerbs = defineCheck<{ verbs?: string[] | null }>((rule, context) => {
  const verbs = rule.verbs ?? []
  if (verbs.length === 0) return context.fail("Required", undefined, "verbs must contain at least one value", "verbs")
  if (verbs.includes("*")) {
    if (verbs.length > 1) context.fail("Invalid", verbs, "if '*' is present, must not specify other verbs", "verbs")
  } else if (verbs.some((verb) => !known.has(verb)))
    context.failures.add({ type: "NotSupported", field: context.at("verbs"), value: verbs, detail: "", supported: [...known] })
})
