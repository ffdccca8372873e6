/**
 * Signs approved CertificateSigningRequests with the keys of `--cluster-signing-key-file` and its like. A request that
 * the signer does not accept gets the condition Failed.
 */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestInput,
} from "../../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"
import { loadCertificateMaker } from "../../base/certificate-maker.ts"
import type { ControllerDeps } from "../controller.ts"
import { certificateController } from "../identities.ts"
import type { Written } from "../../schema/handlers.ts"
import { type KeyedController, startKeyedController } from "../keyed-controller.ts"
import { orUndefined } from "../refusals.ts"
import { readRequest, RequestFault } from "./asked-certificate.ts"
import { issueCertificate } from "./issue.ts"
import { refusalOf, type Signing, type SignerName, signerNames, type SigningPair } from "./signers.ts"

/** A signer with a signing pair. */
interface Signer {
  readonly name: SignerName
  readonly pair: SigningPair
}

/** Called once at start. Without `signing` there is nothing to do. */
export function startCertificateSigner(deps: ControllerDeps, signing: Signing | undefined): KeyedController {
  const { vendor } = deps.registry.deps
  const signers = new Map<string, Signer>()
  for (const name of signerNames) {
    const pair = signing?.pairs[name]
    if (pair !== undefined) signers.set(vendor.domain(`orch.io/${name}`), { name, pair })
  }
  return startKeyedController(deps, {
    queue: "certificate",
    fault: "a certificate could not be issued; tried again later",
    watched:
      signers.size === 0
        ? []
        : [
            {
              kind: { group: "certificates.orch.io", version: "v1", resource: "certificatesigningrequests" },
              changed(request, keys, event) {
                if (event?.type !== "DELETED" && signers.has(request.field("spec.signerName"))) keys.add(request.field("metadata.name"))
              },
            },
          ],
    work: (name) => sign(deps, name, { signers, durationMs: signing?.durationMs ?? 0 }),
  })
}

async function sign(
  deps: ControllerDeps,
  name: string,
  { signers, durationMs }: { readonly signers: ReadonlyMap<string, Signer>; readonly durationMs: number },
): Promise<void> {
  const { certificatesigningrequests } = deps.api(certificateController(deps.registry)).certificates.v1
  const found = await orUndefined(certificatesigningrequests.get(name))
  const signer = found === undefined ? undefined : signers.get(found.spec.signerName)
  if (found === undefined || signer === undefined || !awaitsCertificate(found)) return
  await certificatesigningrequests.status.update(await answered(deps, found, { ...signer, durationMs }))
}

function awaitsCertificate({ status: { certificate = "", conditions = [] } }: CertificateSigningRequest): boolean {
  const holds = (type: string): boolean => conditions.some((condition) => condition.type === type && condition.status === "True")
  return certificate === "" && holds("Approved") && !holds("Denied") && !holds("Failed")
}

/** The request with its certificate, or with a condition that says why there will be none. */
async function answered(
  { clock, registry }: ControllerDeps,
  found: CertificateSigningRequest,
  { name, pair, durationMs }: Signer & { readonly durationMs: number },
): Promise<Written<CertificateSigningRequestInput>> {
  const { request, usages, expirationSeconds } = found.spec
  try {
    const maker = await loadCertificateMaker()
    const asked = readRequest(maker, request)
    const refusal = refusalOf(name, { ...asked, usages })
    if (refusal !== undefined) throw new RequestFault(refusal)
    const serial = registry.deps.random.bytes(16)
    const wish = expirationSeconds === undefined ? {} : { expirationSeconds }
    const made = await issueCertificate({ maker, pair, asked, usages, ...wish, durationMs, serial, nowMs: clock.nowMs() })
    return { ...found, status: { ...found.status, certificate: Buffer.from(made).toString("base64") } }
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error
    const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure", message: error.message }
    return { ...found, status: { ...found.status, conditions: [...(found.status.conditions ?? []), failed] } }
  }
}
