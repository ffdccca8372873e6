/** The doorway: all that generated code may import. */
export { age, cell, type Cell, cellOf, durationText, formatLabels, formatSelector, humanDuration, lbAddresses, selectorString, timeCell } from "./cells.ts"
export { converted, type Move } from "./convert.ts"
export { assign, defaultField, type DefaultingContext, defaultItems, defaultNested, setDefault, type TypeDefaults } from "./defaults.ts"
export { type DescriptorPart, mergeDescriptors } from "./descriptor.ts"
export {
  add, all, Amount, atMost, characterCount, compilePattern, contains, divide, double, endsWith, equals, exists, existsOne, filter, get, imageTag, int,
  isCIDR, isFormat, isIP, isIPv4, isIPv6, item, join, json, less, lowerAscii, map, matches, max, min, multiply, negate, nonZero, orElse, present, quantity,
  remainder, size, split, startsWith, subtract, sum, text, time, trim, truth, typeName, type Value, vendorText, within,
} from "./expression.ts"
export { type Failure, Failures, type FailureType } from "./failure.ts"
export { checkFormat, formatFaults, formatNames } from "./formats.ts"
export { type ApiObject, isObject, type JsonObject, type JsonValue, type ObjectMeta, type OwnerReference } from "./json.ts"
export type { BodyType, CellContext, Column, DefaultsContext, Kind, KindParts, NameRule, SelectableField, Subresource, ValidationContext, Verb } from "./kind.ts"
export type { FieldShape, Scalar, TypeRef, TypeShape } from "./shape.ts"
export {
  type Check, CheckContext, type ConstraintCheck, type ConstraintError, constraints, entries, field, immutable, items, nested, oneOf, requiredOn, rule,
  type RuleFault, type TypeValidator, unique, warningTexts,
} from "./validate.ts"
