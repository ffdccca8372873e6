/** Parses a certificate request (PKCS#10) with the library that makes the certificate. */
import { requestedOrganizations } from "../../encoding/certificate-request.ts"
import { pemBlocks } from "../../encoding/pem.ts"
import { signedRequestBytesMax } from "./limits.ts"
import type { AskedCertificate, OtherName } from "./signers.ts"

type Maker = typeof import("@peculiar/x509")

/** The content of a request besides its usages, with the parts that go into the certificate. */
export interface ReadRequest extends Omit<AskedCertificate, "usages"> {
  readonly subject: InstanceType<Maker["Name"]>
  readonly publicKey: InstanceType<Maker["PublicKey"]>
}

/** The request is permanently unreadable. */
export class RequestFault extends Error {}

const otherNamesIdentifier = "2.5.29.17"

/** `text`: as in `spec.request`, PEM in base64. Throws RequestFault. */
export function readRequest(maker: Maker, text: string): ReadRequest {
  const [block] = pemBlocks(Buffer.from(text, "base64").toString("latin1"))
  if (block === undefined) throw new RequestFault("unable to parse csr: there is no PEM block")
  if (block.bytes.length > signedRequestBytesMax)
    throw new RequestFault(`unable to parse csr: it has ${block.bytes.length} bytes, and at most ${signedRequestBytesMax} are read`)
  try {
    const request = new maker.Pkcs10CertificateRequest(block.bytes)
    const { subjectName: subject, publicKey } = request
    return {
      subject,
      publicKey,
      organizations: requestedOrganizations(block.bytes),
      commonNames: subject.getField("CN"),
      otherNames: otherNamesOf(maker, request),
    }
  } catch (error) {
    throw new RequestFault(`unable to parse csr: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function otherNamesOf(maker: Maker, request: InstanceType<Maker["Pkcs10CertificateRequest"]>): OtherName[] {
  const extension = request.extensions.find(({ type }) => type === otherNamesIdentifier)
  if (extension === undefined) return []
  const { items } = new maker.SubjectAlternativeNameExtension(extension.rawData).names
  return items.flatMap(({ type, value }) =>
    type === "dns" || type === "email" || type === "ip" || type === "url" ? [{ type, value }] : [],
  )
}
