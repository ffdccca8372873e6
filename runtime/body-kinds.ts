/** Kinds that exist only as request bodies, by neutral name. Their shapes come from generated type files. */
import { createProtobufCodec } from "./encoding/protobuf/codec.ts"
import type { KindParts } from "./schema/kind.ts"
import type { TypeShape } from "./schema/shape.ts"
import type { KindBody } from "./server-parts.ts"
import type { Vendor } from "./base/vendor.ts"

/** The parts of a generated body type that the server uses. */
export interface LoadableBody {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly load: () => Promise<{ shape: TypeShape; applyDefaults?: KindParts["applyDefaults"]; validate?: KindParts["validate"] }>
}

/** Called once at start; each body is loaded on first use. */
export function bodyLoader(
  types: readonly LoadableBody[],
  vendor: Vendor,
): (kind: { group: string; version: string; kind: string }) => Promise<KindBody> {
  const loaded = new Map<LoadableBody, Promise<KindBody>>()
  return (wanted) => {
    const type = types.find(
      (candidate) => candidate.group === wanted.group && candidate.version === wanted.version && candidate.kind === wanted.kind,
    )
    if (type === undefined) throw new Error(`no body type ${wanted.group}/${wanted.version} ${wanted.kind} was generated`)
    let body = loaded.get(type)
    if (body === undefined) {
      body = load(type, vendor)
      loaded.set(type, body)
    }
    return body
  }
}

async function load(type: LoadableBody, vendor: Vendor): Promise<KindBody> {
  const { shape, applyDefaults, validate } = await type.load()
  const neutral = type.group === "" || type.group === "meta" ? type.version : `${type.group}/${type.version}`
  return {
    kind: type.kind,
    apiVersion: vendor.apiVersion(neutral),
    shape,
    codec: createProtobufCodec(shape),
    applyDefaults: applyDefaults ?? (() => {}),
    validate: validate ?? (() => {}),
  }
}
