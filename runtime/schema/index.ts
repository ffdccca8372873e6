/** Everything that generated code may import. */
export {
  age,
  cell,
  type Cell,
  cellOf,
  completedConditions,
  formatLabels,
  formatSelector,
  lbAddresses,
  selectorString,
  timeCell,
} from "./cells.ts"
export type {
  Behaviour,
  BehaviourDeps,
  BehaviourFactory,
  BehaviourOptions,
  ChangeContext,
  CommitOps,
  Deletion,
  ObjectAccess,
  SubresourceAction,
  SubresourceBehaviour,
  SubresourceBehaviourFactory,
} from "./behaviour.ts"
export { type ReferenceTarget, references } from "./references.ts"
export { FieldCheck, type FieldLimits, limited, limits, nonEmpty, required, requiredOrNull, type TypeLimits } from "./check-limits.ts"
export type { Limits } from "./constraints.ts"
export { isSelector, matchesSelector } from "./selectors.ts"
export { type Conversion, type ConversionContext, converted, type FieldMove, fromStoredBy, toStoredBy } from "./convert.ts"
export {
  assign,
  defaultField,
  defaultSelfContained,
  type DefaultingContext,
  defaultItems,
  defaultNested,
  replaceZero,
  setDefault,
  type TypeDefaults,
} from "./defaults.ts"
export {
  add,
  all,
  atMost,
  contains,
  divide,
  double,
  duration,
  each,
  endsWith,
  equals,
  exists,
  existsOne,
  filter,
  get,
  getOrZero,
  int,
  item,
  join,
  json,
  less,
  lowerAscii,
  map,
  matches,
  max,
  min,
  multiply,
  negate,
  nonZero,
  orElse,
  present,
  quantity,
  quotient,
  remainder,
  size,
  split,
  startsWith,
  subtract,
  sum,
  text,
  time,
  trim,
  truth,
  typeName,
  type Value,
  vendorText,
  within,
} from "./expression.ts"
export { imageTag, isCIDR, isFormat, isIP, isIPv4, isIPv6 } from "./expression-formats.ts"
export {
  type Changes,
  type ClusterHandlers,
  clusterHandlers,
  type ClusterSubresource,
  clusterSubresource,
  type Configuration,
  type NamespacedHandlers,
  namespacedHandlers,
  type NamespacedSubresource,
  namespacedSubresource,
  onDemand,
  type Patch,
  type PostHandlers,
  postHandlers,
  type UntypedApi,
  type Written,
} from "./handlers.ts"
export type {
  ApplyOptions,
  CallOptions,
  CollectionPlace,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  HandledKind,
  JsonPatchOperation,
  ListOptions,
  ObjectClient,
  ObjectList,
  ObjectPlace,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./object-client.ts"
export {
  defineBehaviour,
  defineCell,
  defineCheck,
  defineConversion,
  defineHandlers,
  defineSubresource,
  defineWarning,
} from "./define.ts"
export { ApiError } from "../base/errors.ts"
export { humanDuration } from "./human-duration.ts"
export { Amount, microTimeText, timeText } from "./measures.ts"
export type { BootstrapObject } from "./bootstrap-object.ts"
export { type Failure, Failures, type FailureType } from "../base/failure.ts"
export { checkFormat, formatNames } from "./formats.ts"
export { type ApiObject, isObject, type JsonObject, type JsonValue, type ObjectMeta, type OwnerReference } from "../base/json.ts"
export type {
  RequestBodyType,
  CellContext,
  Column,
  RowConditions,
  DefaultsContext,
  Kind,
  KindParts,
  NameRule,
  SelectableField,
  Subresource,
  ValidationContext,
  Verb,
} from "./kind.ts"
export { distinct } from "./list-types.ts"
export { group, oneOf } from "./groups.ts"
export { isOfKind } from "./guards.ts"
export type { FieldShape, Scalar, TypeRef, TypeShape } from "./shape.ts"
export {
  type Check,
  CheckContext,
  entries,
  field,
  selfContained,
  immutable,
  items,
  named,
  namedWarnings,
  nested,
  requiredOn,
  rule,
  type RuleFault,
  type TypeValidator,
  unique,
  type Warning,
  warningTexts,
} from "./validate.ts"
