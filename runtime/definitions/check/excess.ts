/** Limits parts of a definition that take long to check and compile, even if they are few bytes. */
import { patternSize } from "../../base/pattern-size.ts"
import { definitionPatternsSizeMax, definitionRuleCharactersMax, definitionRuleNodesMax, definitionRulesMax } from "../limits.ts"
import { type DefinitionSpec, schemasOf } from "./definition-spec.ts"
import { type SchemaProps, schemaHas } from "./schema-props.ts"

/**
 * Returns which limit the rules and patterns of a definition exceed; undefined for most. Called before they are
 * compiled.
 */
export function excessOf(spec: DefinitionSpec): string | undefined {
  let rules = 0
  let characters = 0
  for (const schema of schemasOf(spec)) {
    schemaHas(schema, ({ validations = [] }) => {
      rules += validations.length
      for (const { rule, messageExpression } of validations) characters += rule.length + messageExpression.length
      return false
    })
  }
  if (rules > definitionRulesMax) return `a definition may have ${definitionRulesMax} rules, but this one has ${rules}`
  if (characters > definitionRuleCharactersMax) {
    return `the rules of a definition may have ${definitionRuleCharactersMax} characters together, but these have ${characters}`
  }
  const looked = schemasOf(spec).reduce((sum, schema) => sum + lookedAt(schema).byRules, 0)
  if (looked > definitionRuleNodesMax) {
    const hint = "write rules at fewer levels, or nearer to the fields that they are about"
    return `the rules of a definition may have ${definitionRuleNodesMax} schemas below them together, but these have ${looked}; ${hint}`
  }
  let size = 0
  for (const pattern of spec.patterns) size += patternSize(pattern)
  if (size <= definitionPatternsSizeMax) return undefined
  return `the patterns of a definition may compile to ${definitionPatternsSizeMax} instructions together, but these compile to some ${size}`
}

/**
 * The number of schemas at and below a node, and the number at and below schemas with rules, counted once per level of
 * rules.
 */
function lookedAt({ properties, items, additionalProperties, validations = [] }: SchemaProps): { nodes: number; byRules: number } {
  const sum = { nodes: 1, byRules: 0 }
  for (const below of [...(properties?.values() ?? []), items?.schema, additionalProperties?.schema]) {
    if (below === undefined) continue
    const { nodes, byRules } = lookedAt(below)
    sum.nodes += nodes
    sum.byRules += byRules
  }
  if (validations.length > 0) sum.byRules += sum.nodes
  return sum
}
