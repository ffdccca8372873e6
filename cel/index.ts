/** The Common Expression Language: parse, check, compile, evaluate and count costs. README.md is its guide. */
export { addBounds, type Bounds, bounds, multiplyBounds, scaleBounds, unbounded, unionBounds } from "./cost/bounds.ts"
export { patternLengthFactor, stringTraversalFactor } from "./cost/bounds.ts"
export type {
  CallEstimate,
  EstimatedCall,
  FunctionDeclaration,
  Impl,
  InfixOperator,
  Library,
  Overload,
  SizedNode,
} from "./declaration.ts"
export type { CheckedTree } from "./check/checker.ts"
export type { EstimateOptions, SizeEstimator } from "./cost/estimate.ts"
export { type Compiled, Environment, type EnvironmentOptions, type Issues, type Refused } from "./environment.ts"
export type { EvaluateOptions, Outcome, Program } from "./evaluate/program.ts"
export { isAssignable } from "./check/substitution.ts"
export type { Issue } from "./issue.ts"
export { add } from "./standard/arithmetic.ts"
export { contains } from "./standard/comparison.ts"
export { durationText, stringOf } from "./standard/conversion.ts"
export { optionalLibrary } from "./standard/optional.ts"
export type * from "./syntax/expr.ts"
export { tokenize } from "./syntax/lexer.ts"
export { type Macro, type MacroHelper, MacroTable } from "./syntax/macro.ts"
export { Nodes } from "./syntax/nodes.ts"
export { standardMacros } from "./syntax/standard-macros.ts"
export { type ParsedTree, parse } from "./syntax/parser.ts"
export { Source } from "./syntax/source.ts"
export type { Token } from "./syntax/token.ts"
export * from "./types/type.ts"
export { formatType } from "./types/format.ts"
export { compare, compareTexts } from "./values/compare.ts"
export { doubleText } from "./values/double-text.ts"
export { equal } from "./values/equal.ts"
export { errorOf, isError, noSuchOverload } from "./values/error.ts"
export { listOf } from "./values/list.ts"
export { mapOf } from "./values/map.ts"
export * from "./values/number.ts"
export { print } from "./values/print.ts"
export { codePoints, sizeOf } from "./values/size.ts"
export { Duration, Timestamp } from "./values/time.ts"
export { parseTimestamp, timestampText } from "./values/timestamp-text.ts"
export { typeOf } from "./values/type-of.ts"
export * from "./values/value.ts"
