/** Reads the file of `--audit-policy-file`. */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { nearest } from "../base/nearest.ts"
import { cut } from "../base/quote.ts"
import type { Vendor } from "../base/vendor.ts"
import { dnsSubdomainFaults } from "../schema/names.ts"
import { parseYaml } from "../wire/yaml.ts"
import { type Level, levels, type Policy, type PolicyRule, type ResourceRule, type Stage, stages } from "./policy.ts"

/** The policy cannot be used. The message names the place in the document, what is wrong and what is expected. */
export class PolicyError extends Error {
  constructor(message: string) {
    super(cut(message))
    this.name = "PolicyError"
  }
}

export interface ReadPolicy {
  readonly policy: Policy
  /** Fields that the server does not know and leaves out, and repeated ones. */
  readonly warnings: readonly string[]
}

/** Called once at start, with the text of the file. Throws PolicyError. */
export function readPolicy(text: string, vendor: Vendor): ReadPolicy {
  const { value, duplicates } = documentOf(text)
  const reader = new Reader(vendor)
  const policy = reader.policy(value)
  return { policy, warnings: [...duplicates, ...reader.warnings] }
}

function documentOf(text: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new PolicyError(error instanceof Error ? error.message : String(error))
  }
}

/** Known fields, used to warn about unknown ones. The fields of `metadata` are not read or checked. */
const policyFields = ["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"]
const ruleFields = [
  "level",
  "users",
  "userGroups",
  "verbs",
  "resources",
  "namespaces",
  "nonResourceURLs",
  "omitStages",
  "omitManagedFields",
]
const resourceFields = ["group", "resources", "resourceNames"]

class Reader {
  readonly warnings: string[] = []

  constructor(private readonly vendor: Vendor) {}

  policy(value: JsonValue): Policy {
    const document = this.object(value, "the file", policyFields)
    const expected = this.vendor.apiVersion("audit.orch.io/v1")
    if (document.apiVersion !== expected || document.kind !== "Policy")
      throw new PolicyError(
        `it has apiVersion ${shown(document.apiVersion)} and kind ${shown(document.kind)}; expected ${expected} and Policy (--vendor chooses the group)`,
      )
    const rules = listOf(document.rules, "rules").map((rule, index) => this.rule(rule, `rules[${index}]`))
    if (rules.length === 0) throw new PolicyError("rules is empty; write at least one, such as - level: Metadata")
    return {
      rules,
      omitStages: stagesOf(document.omitStages, "omitStages"),
      omitManagedFields: booleanOf(document.omitManagedFields, "omitManagedFields") ?? false,
    }
  }

  private rule(value: JsonValue, at: string): PolicyRule {
    const fields = this.object(value, at, ruleFields)
    const omitManagedFields = booleanOf(fields.omitManagedFields, `${at}.omitManagedFields`)
    const rule: PolicyRule = {
      level: levelOf(fields.level, `${at}.level`),
      users: textsOf(fields.users, `${at}.users`),
      userGroups: textsOf(fields.userGroups, `${at}.userGroups`),
      verbs: textsOf(fields.verbs, `${at}.verbs`),
      resources: listOf(fields.resources, `${at}.resources`).map((one, index) => this.resource(one, `${at}.resources[${index}]`)),
      namespaces: textsOf(fields.namespaces, `${at}.namespaces`),
      nonResourceURLs: textsOf(fields.nonResourceURLs, `${at}.nonResourceURLs`),
      omitStages: stagesOf(fields.omitStages, `${at}.omitStages`),
      ...(omitManagedFields !== undefined && { omitManagedFields }),
    }
    for (const [index, path] of rule.nonResourceURLs.entries()) checkPath(path, `${at}.nonResourceURLs[${index}]`)
    if (rule.nonResourceURLs.length > 0 && rule.resources.length + rule.namespaces.length > 0)
      throw new PolicyError(
        `${at} has nonResourceURLs beside ${rule.resources.length > 0 ? "resources" : "namespaces"}; a path names a resource or it does not: make it two rules`,
      )
    return rule
  }

  private resource(value: JsonValue, at: string): ResourceRule {
    const fields = this.object(value, at, resourceFields)
    const group = fields.group ?? ""
    if (typeof group !== "string") throw new PolicyError(`${at}.group is ${shown(group)}; expected a text`)
    if (group !== "" && dnsSubdomainFaults(group).length > 0)
      throw new PolicyError(`${at}.group is ${shown(group)}; expected the group without a version, such as apps, and "" for the core group`)
    const resources = textsOf(fields.resources, `${at}.resources`)
    const resourceNames = textsOf(fields.resourceNames, `${at}.resourceNames`)
    if (resourceNames.length > 0 && resources.length === 0)
      throw new PolicyError(`${at} has resourceNames without resources; add the resources that have these names`)
    return { group: this.vendor.neutralGroup(group), resources, resourceNames }
  }

  private object(value: JsonValue, at: string, known: readonly string[]): JsonObject {
    if (!isObject(value)) throw new PolicyError(`${at} is ${shown(value)}; expected an object with ${known.join(", ")}`)
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue
      const meant = nearest(name, known)
      this.warnings.push(
        `${at} has the unknown field ${JSON.stringify(cut(name))}, which has no effect${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      )
    }
    return value
  }
}

function checkPath(path: string, at: string): void {
  if (path === "*") return
  if (!path.startsWith("/")) throw new PolicyError(`${at} is ${shown(path)}; expected a path that begins with /, or *`)
  if (path.slice(0, -1).includes("*")) throw new PolicyError(`${at} is ${shown(path)}; * may only be the last character`)
}

function levelOf(value: JsonValue | undefined, at: string): Level {
  const known = levels.find((level) => level === value)
  if (known === undefined) throw new PolicyError(`${at} is ${shown(value)}; expected ${meantOf(value, levels)}`)
  return known
}

function stagesOf(value: JsonValue | undefined, at: string): readonly Stage[] {
  return textsOf(value, at).map((text, index) => {
    const known = stages.find((stage) => stage === text)
    if (known === undefined) throw new PolicyError(`${at}[${index}] is ${shown(text)}; expected ${meantOf(text, stages)}`)
    return known
  })
}

function meantOf(value: JsonValue | undefined, words: readonly string[]): string {
  const meant = typeof value === "string" ? nearest(value, words) : undefined
  return `one of ${words.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

function listOf(value: JsonValue | undefined, at: string): readonly JsonValue[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new PolicyError(`${at} is ${shown(value)}; expected a list`)
  return value
}

function textsOf(value: JsonValue | undefined, at: string): readonly string[] {
  return listOf(value, at).map((item, index) => {
    if (typeof item !== "string") throw new PolicyError(`${at}[${index}] is ${shown(item)}; expected a text`)
    return item
  })
}

function booleanOf(value: JsonValue | undefined, at: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== "boolean") throw new PolicyError(`${at} is ${shown(value)}; expected true or false`)
  return value
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "absent"
  if (Array.isArray(value)) return "a list"
  return isObject(value) ? "an object" : typeof value === "string" ? JSON.stringify(cut(value)) : String(value)
}
