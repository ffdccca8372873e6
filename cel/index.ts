/** The Common Expression Language: parse, check, compile, evaluate and count costs. README.md is its guide. */
export { addBounds, type Bounds, bounds, multiplyBounds, scaleBounds, unbounded, unionBounds } from "./cost/bounds.ts"
export { patternLengthFactor, stringTraversalFactor } from "./cost/bounds.ts"
export type {
  CallEstimate,
  EstimatedCall,
  FunctionDeclaration,
  Impl,
  Library,
  Macro,
  Overload,
  SizedNode,
} from "./declaration.ts"
export type {
  CheckedAst,
  Compiled,
  Environment,
  EnvironmentOptions,
  Issues,
  Outcome,
  Program,
  SizeEstimator,
} from "./environment.ts"
export type { Issue } from "./issue.ts"
export type * from "./syntax/expr.ts"
export type { MacroHelper } from "./syntax/macro.ts"
export * from "./types/type.ts"
export { Duration, Timestamp } from "./values/time.ts"
export * from "./values/value.ts"
