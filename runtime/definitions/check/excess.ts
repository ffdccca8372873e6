/** What a definition asks for that takes long to check and to compile, however few bytes say it. */
import { patternSize } from "../../base/pattern-size.ts"
import { definitionPatternsSizeMax, definitionRuleCharactersMax, definitionRulesMax } from "../limits.ts"
import { type DefinitionSpec, schemasOf } from "./definition-spec.ts"
import { schemaHas } from "./schema-props.ts"

/**
 * Says which limit the rules and the patterns of a definition exceed; undefined for most. Called before they are
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
  let size = 0
  for (const pattern of spec.patterns) size += patternSize(pattern)
  if (size <= definitionPatternsSizeMax) return undefined
  return `the patterns of a definition may compile to ${definitionPatternsSizeMax} instructions together, but these compile to some ${size}`
}
