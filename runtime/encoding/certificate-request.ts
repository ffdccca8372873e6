/** Reads the subject of a request for a certificate (PKCS#10, RFC 2986). */
import { namesOf, organizationsIn } from "./certificate.ts"
import { DerFault, derValues } from "./der.ts"

/** Bytes of a subject whose names are read. Real subjects have a hundred bytes, and each name costs time. */
export const requestSubjectBytesMax = 16 * 1024

/**
 * The organizations that a certificate for this request would have, as `readCertificate` reads them: the groups of its
 * user. `bytes`: the request in DER. Throws DerFault for bytes that are no request, for names that cannot be read, and
 * for a subject beyond `requestSubjectBytesMax`.
 */
export function requestedOrganizations(bytes: Buffer): readonly string[] {
  const [request] = derValues(bytes)
  const [info] = derValues(request?.content ?? Buffer.alloc(0))
  const [, subject] = derValues(info?.content ?? Buffer.alloc(0))
  if (subject === undefined) throw new DerFault("the request has no subject")
  const length = subject.content.length
  if (length > requestSubjectBytesMax) throw new DerFault(`the subject has ${length} bytes, and at most ${requestSubjectBytesMax} are read`)
  return organizationsIn(namesOf(subject))
}
