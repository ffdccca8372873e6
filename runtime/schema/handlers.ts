/**
 * Typed operations on the objects of a kind, over any `ObjectClient`. The generated `handlers.ts` of a kind states its
 * types and sub-resources; all code is here.
 */
import { type ApiObject, isObject, type ObjectMeta } from "../base/json.ts"
import type {
  ObjectPlace,
  ApplyOptions,
  CollectionPlace,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  HandledKind,
  JsonPatchOperation,
  ListOptions,
  ObjectClient,
  ObjectList,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./object-client.ts"

/** An object as a program writes it. A write needs the name of its object, or `generateName`. */
export type Written<Sent extends object> = Sent & { metadata: ObjectMeta }

/** Some of the fields of an object, at any depth; null removes a field. */
export type Changes<T> = T extends readonly unknown[] ? T : T extends object ? { [Name in keyof T]?: Changes<T[Name]> | null } : T

/** Some of the fields of an object, at any depth: the fields that a server-side apply owns. */
export type Configuration<T> = T extends readonly (infer Item)[]
  ? Configuration<Item>[]
  : T extends object
    ? { [Name in keyof T]?: Configuration<T[Name]> }
    : T

/** A patch: changes, or operations of a JSON patch. */
export type Patch<T extends object> = Changes<T> | readonly JsonPatchOperation[]

/** Operations on namespaced objects. All reject with ApiError. */
export interface NamespacedHandlers<T extends object, Sent extends object = T> {
  /** Reads one object. */
  get(namespace: string, name: string, options?: GetOptions): Promise<T>
  /** Reads the objects of a namespace, or of all namespaces for "" and by default. */
  list(namespace?: string, options?: ListOptions): Promise<ObjectList<T>>
  /** Iterates over changes in a namespace, or in all for "" and by default. */
  watch(namespace?: string, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** Creates an object; `metadata.generateName` instead of a name lets the server choose one. */
  create(namespace: string, object: Written<Sent>, options?: WriteOptions): Promise<T>
  /** Replaces an object; 409 if `metadata.resourceVersion` is set and differs from the stored object's. */
  update(namespace: string, object: Written<Sent>, options?: WriteOptions): Promise<T>
  /** Creates or changes an object by server-side apply: sets the given fields, and owns them. */
  apply(namespace: string, object: Configuration<Sent>, options: ApplyOptions): Promise<T>
  /** Changes some fields of an object. */
  patch(namespace: string, name: string, patch: Patch<Sent>, options?: PatchOptions): Promise<T>
  /** Deletes an object, or begins its deletion if it has finalizers or a grace period. */
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>
  /** Deletes the selected objects of a namespace. */
  deleteCollection(namespace: string, options?: DeleteCollectionOptions): Promise<void>
}

/** Operations on objects without a namespace. All reject with ApiError. */
export interface ClusterHandlers<T extends object, Sent extends object = T> {
  /** Reads one object. */
  get(name: string, options?: GetOptions): Promise<T>
  /** Reads all objects. */
  list(options?: ListOptions): Promise<ObjectList<T>>
  /** Iterates over changes. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** Creates an object; `metadata.generateName` instead of a name lets the server choose one. */
  create(object: Written<Sent>, options?: WriteOptions): Promise<T>
  /** Replaces an object; 409 if `metadata.resourceVersion` is set and differs from the stored object's. */
  update(object: Written<Sent>, options?: WriteOptions): Promise<T>
  /** Creates or changes an object by server-side apply: sets the given fields, and owns them. */
  apply(object: Configuration<Sent>, options: ApplyOptions): Promise<T>
  /** Changes some fields of an object. */
  patch(name: string, patch: Patch<Sent>, options?: PatchOptions): Promise<T>
  /** Deletes an object, or begins its deletion if it has finalizers or a grace period. */
  delete(name: string, options?: DeleteOptions): Promise<void>
  /** Deletes the selected objects. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<void>
}

/**
 * Operations on a sub-resource of namespaced objects, with bodies of type `Body`: the object itself for `status`, a
 * Scale for `scale`.
 */
export interface NamespacedSubresource<Body extends object, Sent extends object = Body> {
  /** Reads the sub-resource of one object. */
  get(namespace: string, name: string, options?: GetOptions): Promise<Body>
  /** Replaces the fields that the sub-resource covers. */
  update(namespace: string, object: Written<Sent>, options?: WriteOptions): Promise<Body>
  /** Changes fields that the sub-resource covers by server-side apply. */
  apply(namespace: string, object: Configuration<Sent>, options: ApplyOptions): Promise<Body>
  /** Changes some of the fields that the sub-resource covers. */
  patch(namespace: string, name: string, patch: Patch<Sent>, options?: PatchOptions): Promise<Body>
  /** Posts a body to the object of this name. Resolves with the answer of a sub-resource that has one (token). */
  create(namespace: string, name: string, body: Partial<Sent>, options?: WriteOptions): Promise<Body | undefined>
}

/** Operations on a sub-resource of objects without a namespace. */
export interface ClusterSubresource<Body extends object, Sent extends object = Body> {
  /** Reads the sub-resource of one object. */
  get(name: string, options?: GetOptions): Promise<Body>
  /** Replaces the fields that the sub-resource covers. */
  update(object: Written<Sent>, options?: WriteOptions): Promise<Body>
  /** Changes fields that the sub-resource covers by server-side apply. */
  apply(object: Configuration<Sent>, options: ApplyOptions): Promise<Body>
  /** Changes some of the fields that the sub-resource covers. */
  patch(name: string, patch: Patch<Sent>, options?: PatchOptions): Promise<Body>
  /** Posts a body to the object of this name. Resolves with the answer of a sub-resource that has one. */
  create(name: string, body: Partial<Sent>, options?: WriteOptions): Promise<Body | undefined>
}

/** A kind without objects: a POST of it acts on the object that it names. */
export interface PostHandlers<Sent extends object> {
  /** Posts an object, whose `metadata.name` names the object that it is about. */
  create(namespace: string, object: Written<Sent>, options?: WriteOptions): Promise<void>
}

/** The operations of kinds that the compiler does not know, by group, version and resource. */
export interface UntypedApi {
  readonly [group: string]: { readonly [version: string]: { readonly [resource: string]: UntypedHandlers } }
}

/** Operations on objects of any fields; the operations of a cluster-scoped kind take no namespace. */
export type UntypedHandlers = NamespacedHandlers<ApiObject> & ClusterHandlers<ApiObject>

/** Makes the operations on a namespaced kind. Called by generated code. */
export function namespacedHandlers<T extends object, Sent extends object = T>(
  client: ObjectClient,
  kind: HandledKind,
): NamespacedHandlers<T, Sent> {
  const placeIn = (namespace: string): CollectionPlace => ({ ...kind, namespace })
  const { get, update, apply, patch } = namespacedSubresource<T, Sent>(client, kind)
  return {
    get,
    update,
    apply,
    patch,
    list: (namespace = "", options) => typed<ObjectList<T>>(client.list(placeIn(namespace), options)),
    watch: (namespace = "", options) => typedEvents<T>(client.watch(placeIn(namespace), options)),
    create: (namespace, object, options) => typed<T>(client.create(placeIn(namespace), object, strict(options))),
    delete: (namespace, name, options) => client.delete({ ...kind, namespace, name }, options),
    deleteCollection: (namespace, options) => client.deleteCollection(placeIn(namespace), options),
  }
}

/** Makes the operations on a kind without namespaces. Called by generated code. */
export function clusterHandlers<T extends object, Sent extends object = T>(
  client: ObjectClient,
  kind: HandledKind,
): ClusterHandlers<T, Sent> {
  const all = namespacedHandlers<T, Sent>(client, kind)
  return {
    ...withoutNamespace(all),
    list: (options) => all.list("", options),
    watch: (options) => all.watch("", options),
    create: (object, options) => all.create("", object, options),
    delete: (name, options) => all.delete("", name, options),
    deleteCollection: (options) => all.deleteCollection("", options),
  }
}

/** Makes the operations on a sub-resource of a namespaced kind. Called by generated code. */
export function namespacedSubresource<Body extends object, Sent extends object = Body>(
  client: ObjectClient,
  kind: HandledKind,
  subresource = "",
): NamespacedSubresource<Body, Sent> {
  const at = (namespace: string, name: string): ObjectPlace => ({ ...kind, ...(subresource !== "" && { subresource }), namespace, name })
  return {
    get: (namespace, name, options) => typed<Body>(client.get(at(namespace, name), options)),
    update: (namespace, object, options) => typed<Body>(client.update(at(namespace, nameOf(object)), object, strict(options))),
    apply: (namespace, object, options) => typed<Body>(client.apply(at(namespace, nameOf(object)), object, strict(options))),
    patch: (namespace, name, patch, options) => typed<Body>(client.patch(at(namespace, name), patch, strict(options))),
    // Types and shapes are generated from the same schema.
    create: async (namespace, name, body, options) => (await client.post(at(namespace, name), body, strict(options))) as Body | undefined,
  }
}

/** Makes the operations on a sub-resource of a kind without namespaces. Called by generated code. */
export function clusterSubresource<Body extends object, Sent extends object = Body>(
  client: ObjectClient,
  kind: HandledKind,
  subresource: string,
): ClusterSubresource<Body, Sent> {
  const all = namespacedSubresource<Body, Sent>(client, kind, subresource)
  return { ...withoutNamespace(all), create: (name, body, options) => all.create("", name, body, options) }
}

/** Makes the operation on a kind without objects. Called by generated code. */
export function postHandlers<Sent extends object>(client: ObjectClient, kind: HandledKind): PostHandlers<Sent> {
  return {
    create: async (namespace, object, options) => void (await client.post({ ...kind, namespace, name: "" }, object, strict(options))),
  }
}

function withoutNamespace<T extends object, Sent extends object>(
  all: Omit<NamespacedSubresource<T, Sent>, "create">,
): Omit<ClusterSubresource<T, Sent>, "create"> {
  return {
    get: (name, options) => all.get("", name, options),
    update: (object, options) => all.update("", object, options),
    apply: (object, options) => all.apply("", object, options),
    patch: (name, patch, options) => all.patch("", name, patch, options),
  }
}

/** Refuses unknown fields unless the options say otherwise: a typed program has no use for dropped fields. */
function strict<Options extends WriteOptions>(options: Options | undefined): Options & WriteOptions
function strict(options?: WriteOptions): WriteOptions {
  return { fieldValidation: "Strict", ...options }
}

/** The name of an object that is written; "" if it has none, which the server refuses. */
function nameOf(object: object): string {
  const metadata = "metadata" in object ? object.metadata : undefined
  return isObject(metadata) && typeof metadata.name === "string" ? metadata.name : ""
}

/** The server answers with objects of the kind that it was asked for: this is where they get its type. */
function typed<Result extends object>(answer: Promise<object>): Promise<Result> {
  return answer as Promise<Result> // The type is generated from the kind's schema.
}

function typedEvents<T extends object>(events: AsyncIterable<WatchEvent>): AsyncIterable<WatchEvent<T>> {
  return events as AsyncIterable<WatchEvent<never>> // The same: each event has an object of the kind.
}

/**
 * An object whose properties are made on first use, each once. Called by the generated `api.ts`: a program uses few of
 * the kinds of a server.
 */
export function onDemand<Made extends Readonly<Record<string, unknown>>>(make: { readonly [Name in keyof Made]: () => Made[Name] }): Made {
  const made: Partial<Made> = {}
  for (const name in make) Object.defineProperty(made, name, { get: once(make[name]), enumerable: true })
  return made as Made // Every property was just defined.
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
