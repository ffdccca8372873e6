/**
 * Guards rights over certificate requests (approving, signing, attesting a signer's authorities) and forbids
 * certificates of the group system:masters: the plugins CertificateApproval, CertificateSigning,
 * ClusterTrustBundleAttest and CertificateSubjectRestriction of the reference (catalog admission.yaml: plugins). No
 * option turns them off. The texts are the reference's.
 */
import type { CertificateSigningRequest } from "../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"
import type { ClusterTrustBundle } from "../../generated/certificates.orch.io/v1alpha1/cluster-trust-bundle/types.ts"
import { privilegedGroup } from "../base/user.ts"
import type { ApiObject } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import { requestedOrganizations } from "../encoding/certificate-request.ts"
import { DerFault } from "../encoding/der.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { pemBlocks } from "../encoding/pem.ts"
import { typed } from "../schema/typed.ts"
import { changesOwnersAlone } from "./changes-owners.ts"
import { mayAlso } from "./may-also.ts"
import type { AdmissionPlugin, RequestAttributes } from "./plugin.ts"
import { refused } from "./refusal.ts"

const group = "certificates.orch.io"

/** Runs after the plugins that `--disable-admission-plugins` knows. Throws 403. */
export function certificateRights(vendor: Vendor): AdmissionPlugin {
  const clientSigner = vendor.domain("orch.io/kube-apiserver-client")
  return {
    name: "CertificateRights",
    operations: ["CREATE", "UPDATE"],
    validate(attributes) {
      const { object, oldObject, operation, resource, subresource } = attributes
      if (resource.group !== group || object === undefined) return undefined
      if (resource.resource === "clustertrustbundles") return judgeBundle(attributes, object)
      if (resource.resource !== "certificatesigningrequests") return undefined
      if (operation === "CREATE") return subresource === "" ? judgeSubject(attributes, object, clientSigner) : undefined
      if (oldObject === undefined) return undefined
      if (subresource === "approval") return judgeDecision(attributes, typed(oldObject))
      if (subresource === "status") return judgeSigning(attributes, typed(object), typed(oldObject))
      return undefined
    },
  }
}

/** Guards `approval`, whichever condition the request adds. */
async function judgeDecision(attributes: RequestAttributes, { spec }: CertificateSigningRequest): Promise<void> {
  if (!(await mayFor(attributes, "approve", spec.signerName)))
    throw refused(attributes, `user not permitted to approve requests with signerName ${JSON.stringify(spec.signerName)}`)
}

async function judgeSigning(
  attributes: RequestAttributes,
  { status }: CertificateSigningRequest,
  { spec, status: before }: CertificateSigningRequest,
): Promise<void> {
  const isSame = (status.certificate ?? "") === (before.certificate ?? "") && deepEqual(status.conditions ?? [], before.conditions ?? [])
  if (isSame || (await mayFor(attributes, "sign", spec.signerName))) return
  throw refused(attributes, `user not permitted to sign requests with signerName ${JSON.stringify(spec.signerName)}`)
}

async function judgeBundle(attributes: RequestAttributes, object: ApiObject): Promise<void> {
  const { signerName = "" } = typed<ClusterTrustBundle>(object).spec
  if (signerName === "" || changesOwnersAlone(object, attributes.oldObject)) return
  if (!(await mayFor(attributes, "attest", signerName)))
    throw refused(attributes, `user not permitted to attest for signerName ${JSON.stringify(signerName)}`)
}

/** A certificate of this group would give administrator rights for as long as it is valid. */
function judgeSubject(attributes: RequestAttributes, object: ApiObject, clientSigner: string): void {
  const { request, signerName } = typed<CertificateSigningRequest>(object).spec
  if (signerName !== clientSigner || !organizationsOf(attributes, request).includes(privilegedGroup)) return
  throw refused(attributes, `use of ${clientSigner} signer with ${privilegedGroup} group is not allowed`)
}

function organizationsOf(attributes: RequestAttributes, request: string): readonly string[] {
  try {
    // Validation of the kind ensures that there is a block.
    const [block] = pemBlocks(Buffer.from(request, "base64").toString("latin1"))
    return requestedOrganizations(block?.bytes ?? Buffer.alloc(0))
  } catch (error) {
    if (!(error instanceof DerFault)) throw error
    throw refused(attributes, `failed to parse CSR: ${error.message}`)
  }
}

/** Asks for the right on the signer's name, then on all names of its domain. */
async function mayFor(attributes: RequestAttributes, verb: "approve" | "attest" | "sign", signerName: string): Promise<boolean> {
  const may = (name: string): Promise<boolean> => mayAlso(attributes, { verb, group, resource: "signers", namespace: "", name })
  const [domain = ""] = signerName.split("/", 1)
  return (await may(signerName)) || (await may(`${domain}/*`))
}
