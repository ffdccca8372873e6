/**
 * The certificates of a ClusterTrustBundle, and its name, which begins with its signer's name (catalog resources.yaml:
 * clustertrustbundles).
 */
import type { CheckContext } from "../../schema/validate.ts"
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ClusterTrustBundle } from "../../../generated/certificates.orch.io/v1alpha1/cluster-trust-bundle/types.ts"
import { chainFault } from "../certificates/chain.ts"
import { pemBlocks } from "../../encoding/pem.ts"

const bundleBytesMax = 1024 * 1024

/** Called for each bundle. */
export const trustBundle = defineCheck<ClusterTrustBundle>((bundle, context) => {
  checkName(bundle, context)
  const text = bundle.spec.trustBundle
  if (text === "" || text === context.old?.spec.trustBundle) return
  if (Buffer.byteLength(text) > bundleBytesMax)
    return context.fail("TooLong", undefined, `must have at most ${bundleBytesMax} bytes`, "spec.trustBundle")
  const fault = chainFault(text)
  if (fault !== undefined) return context.fail("Invalid", "<value omitted>", fault, "spec.trustBundle")
  const blocks = pemBlocks(text).map(({ bytes }) => bytes.toString("base64"))
  if (new Set(blocks).size < blocks.length) context.fail("Invalid", "<value omitted>", "duplicate trust anchor", "spec.trustBundle")
})

function checkName(
  { metadata: { name = "" }, spec: { signerName = "" } }: ClusterTrustBundle,
  context: CheckContext<ClusterTrustBundle>,
): void {
  if (context.operation !== "create") return
  if (signerName === "") {
    if (name.includes(":"))
      context.fail("Invalid", name, "ClusterTrustBundle without signer name must not have ':' in its name", "metadata.name")
    else for (const fault of formatFaults("dns-subdomain", name)) context.fail("Invalid", name, fault, "metadata.name")
    return
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`
  if (!name.startsWith(prefix))
    return context.fail(
      "Invalid",
      name,
      `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`,
      "metadata.name",
    )
  for (const fault of formatFaults("dns-subdomain", name.slice(prefix.length))) context.fail("Invalid", name, fault, "metadata.name")
}
