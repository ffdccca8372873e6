/**
 * Creates and maintains the priority levels and flow schemas of the server (catalog flowcontrol.yaml: bootstrap).
 * Mandatory objects keep their content. Suggested ones are created if missing, and updated while their annotation
 * allows it, until a user changes them.
 */
import * as mandatory from "../../../generated/bootstrap/mandatory-flow-control.ts"
import * as suggested from "../../../generated/bootstrap/flow-control.ts"
import type { FlowSchemaSpec } from "../../../generated/flowcontrol.apiserver.orch.io/v1/flow-schema/types.ts"
import { Turns } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import { fieldKeyWork } from "../../base/work.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { ApiError } from "../../base/errors.ts"
import type { ObjectMeta } from "../../base/json.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { typed } from "../../schema/typed.ts"
import type { SystemObjectsDeps } from "../system-objects.ts"

interface Kept<Spec extends object> {
  readonly metadata: ObjectMeta
  readonly spec: Spec
}

interface Named<Spec extends object> {
  readonly metadata: { readonly name: string }
  readonly spec: Spec
}

interface Wanted<Spec extends object> {
  readonly mandatory: readonly Named<Spec>[]
  readonly suggested: readonly Named<Spec>[]
  /** Keeps the fields of a mandatory object that users may change. */
  keep?(name: string, wanted: Spec, found: Spec): Spec
}

/** The operations on a kind that are needed. */
interface Handlers<Spec extends object> {
  list(): Promise<{ readonly items: readonly Kept<Spec>[] }>
  create(object: Kept<Spec>): Promise<unknown>
  update(object: Kept<Spec>): Promise<unknown>
  delete(name: string, options: { preconditions: { uid: string } }): Promise<void>
}

/** Called at start and at intervals. Several servers may run it at once. */
export async function ensureFlowControl(deps: SystemObjectsDeps): Promise<void> {
  const { kinds, vendor } = deps.registry.deps
  if (kinds.find("flowcontrol.apiserver.orch.io", "v1", "flowschemas") === undefined) return
  const { flowschemas: schemas, prioritylevelconfigurations: levels } = deps.api(serverUser).flowcontrol.v1
  const annotation = vendor.domain("apf.orch.io/autoupdate-spec")
  await ensureAll(annotation, levels, {
    mandatory: mandatory.priorityLevelConfigurations,
    suggested: suggested.priorityLevelConfigurations,
    keep: (name, wanted, { exempt }) => (name === "exempt" && exempt !== undefined ? { ...wanted, exempt } : wanted),
  })
  const inNames = ({ metadata, spec }: Named<FlowSchemaSpec>): Named<FlowSchemaSpec> => ({ metadata, spec: inNamesOf(vendor, spec) })
  await ensureAll(annotation, schemas, { mandatory: mandatory.flowSchemas, suggested: suggested.flowSchemas.map(inNames) })
}

/** Maps the neutral groups and namespaces in schemas of `schemas/bootstrap`; mandatory ones have none. */
function inNamesOf(vendor: Vendor, spec: FlowSchemaSpec): FlowSchemaSpec {
  type Rule = NonNullable<FlowSchemaSpec["rules"]>[number]
  const subject = (one: NonNullable<Rule["subjects"]>[number]): typeof one => {
    const { serviceAccount } = one
    if (serviceAccount === undefined) return one
    return { ...one, serviceAccount: { ...serviceAccount, namespace: vendor.namespace(serviceAccount.namespace) } }
  }
  const rule = ({ subjects, resourceRules, ...rest }: Rule): Rule => ({
    ...rest,
    subjects: subjects?.map(subject) ?? null,
    ...(resourceRules && {
      resourceRules: resourceRules.map((one) => ({ ...one, apiGroups: one.apiGroups?.map(vendor.group) ?? null })),
    }),
  })
  return { ...spec, ...(spec.rules && { rules: spec.rules.map(rule) }) }
}

async function ensureAll<Spec extends object>(annotation: string, objects: Handlers<Spec>, wanted: Wanted<Spec>): Promise<void> {
  const found = new Map((await objects.list()).items.map((object) => [object.metadata.name ?? "", object]))
  const all = [...wanted.suggested, ...wanted.mandatory]
  await Promise.all(all.map((one) => unlessFaster(ensureOne(annotation, objects, wanted, { ...one, found: found.get(one.metadata.name) }))))
  const names = new Set(all.map(({ metadata }) => metadata.name))
  const turns = new Turns()
  for (const [name, { metadata }] of found) {
    if (turns.isOver(fieldKeyWork)) await turns.next()
    if (names.has(name) || metadata.annotations?.[annotation] !== "true") continue
    await unlessFaster(objects.delete(name, { preconditions: { uid: metadata.uid ?? "" } }))
  }
}

async function ensureOne<Spec extends object>(
  annotation: string,
  objects: Handlers<Spec>,
  { mandatory, keep }: Wanted<Spec>,
  { metadata: { name }, spec, found }: Named<Spec> & { readonly found: Kept<Spec> | undefined },
): Promise<void> {
  if (found === undefined) {
    await objects.create({ metadata: { name, annotations: { [annotation]: "true" } }, spec })
    return
  }
  const isMandatory = mandatory.some(({ metadata }) => metadata.name === name)
  const { annotations = {}, generation } = found.metadata
  const marked = annotations[annotation] ?? ""
  const mark = isMandatory ? "true" : marked === "true" || marked === "false" ? marked : String(generation === 1)
  const next = mark === "false" ? found.spec : (keep?.(name, spec, found.spec) ?? spec)
  if (mark === marked && deepEqual(typed(found.spec), typed(next))) return
  await objects.update({ ...found, metadata: { ...found.metadata, annotations: { ...annotations, [annotation]: mark } }, spec: next })
}

/** Another server, or a user, was faster: the next round reads the object again. */
async function unlessFaster(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ApiError) || !["AlreadyExists", "Conflict", "NotFound"].includes(error.reason)) throw error
  }
}
