/**
 * Signs the kubeconfig in the ConfigMap `cluster-info` with each bootstrap token, so that a new node with a token can
 * check that it comes from the cluster. The tool that sets up the cluster makes the ConfigMap; without it there is
 * nothing to do.
 */
import { Turns } from "../../base/turns.ts"
import { encodeWork } from "../../base/work.ts"
import { createHmac } from "node:crypto"
import type { Secret } from "../../../generated/core/v1/secret/types.ts"
import { isDeepStrictEqual } from "node:util"
import type { ControllerDeps } from "../controller.ts"
import { bootstrapSigner } from "../identities.ts"
import { type KeyedController, startKeyedController } from "../keyed-controller.ts"
import { orUndefined } from "../refusals.ts"
import { expiryOf, isToken, signingToken, tokenNamespace, tokenType } from "./bootstrap-token.ts"

const infoName = "cluster-info"
const signedName = "kubeconfig"
const signaturePrefix = "jws-kubeconfig-"
/** There is one ConfigMap, so one key. */
const onlyKey = "cluster-info"

/** Called once at start. */
export function startBootstrapSigner(deps: ControllerDeps): KeyedController {
  const { vendor } = deps.registry.deps
  const namespace = vendor.namespace("orch-public")
  return startKeyedController(deps, {
    queue: "bootstrap_signer_queue",
    fault: "the information about the cluster could not be signed; tried again later",
    watched: [
      {
        kind: { group: "", version: "v1", resource: "configmaps" },
        changed(map, keys, event) {
          const isInfo = map.field("metadata.name") === infoName && map.field("metadata.namespace") === namespace
          if (isInfo && event?.type !== "DELETED") keys.add(onlyKey)
        },
      },
      {
        kind: { group: "", version: "v1", resource: "secrets" },
        changed(secret, keys) {
          if (isToken(secret, vendor)) keys.add(onlyKey)
        },
      },
    ],
    work: (_key, keys) => sign(deps, { namespace, again: (delayMs) => keys.addAfter(onlyKey, delayMs) }),
  })
}

async function sign(
  { api, clock, registry }: ControllerDeps,
  { namespace, again }: { readonly namespace: string; readonly again: (delayMs: number) => void },
): Promise<void> {
  const { vendor } = registry.deps
  const { configmaps, secrets } = api(bootstrapSigner(registry)).core.v1
  const info = await orUndefined(configmaps.get(namespace, infoName))
  const content = info?.data?.[signedName]
  if (info === undefined || content === undefined || content === "") return
  const { items } = await secrets.list(tokenNamespace(vendor), { fieldSelector: `type=${tokenType(vendor)}` })
  const nowMs = clock.nowMs()
  const signatures: Record<string, string> = {}
  const turns = new Turns()
  for (const secret of items) {
    for (const [name, signature] of signatureOf(secret, content, nowMs)) signatures[name] = signature
    if (turns.isOver(encodeWork(content.length))) await turns.next()
  }
  const others = Object.entries(info.data ?? {}).filter(([name]) => !name.startsWith(signaturePrefix))
  const data = { ...Object.fromEntries(others), ...signatures }
  // An expired token no longer signs, even while it exists.
  const left = items.map((secret) => (expiryOf(secret) ?? 0) - nowMs).filter((ms) => ms > 0)
  if (left.length > 0) again(Math.min(...left))
  if (!isDeepStrictEqual(data, { ...info.data })) await configmaps.update(namespace, { ...info, data })
}

function signatureOf(secret: Secret, content: string, nowMs: number): (readonly [name: string, signature: string])[] {
  const token = signingToken(secret, nowMs)
  return token === undefined ? [] : [[signaturePrefix + token.id, detachedSignature(content, token)]]
}

/** A JSON Web Signature (RFC 7515) with HMAC SHA-256 and detached content. */
export function detachedSignature(content: string, token: { readonly id: string; readonly secret: string }): string {
  const header = base64url(JSON.stringify({ alg: "HS256", kid: token.id }))
  const signature = createHmac("sha256", token.secret)
    .update(`${header}.${base64url(content)}`)
    .digest("base64url")
  return `${header}..${signature}`
}

function base64url(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url")
}
