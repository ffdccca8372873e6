import { expect, test } from "vitest"
import { type AskedCertificate, refusalOf, type SignerName, type Usage } from "./signers.ts"

const node: AskedCertificate = {
  organizations: ["system:nodes"],
  commonNames: ["system:node:a"],
  otherNames: [],
  usages: ["digital signature", "key encipherment", "client auth"],
}
const dns = { type: "dns", value: "a" } as const
const ip = { type: "ip", value: "10.0.0.1" } as const
const email = { type: "email", value: "a@example.com" } as const
const url = { type: "url", value: "https://a" } as const
const serving: AskedCertificate = { ...node, otherNames: [dns, ip], usages: ["digital signature", "server auth"] }
const usages = (...list: Usage[]): Partial<AskedCertificate> => ({ usages: list })

const client = "kube-apiserver-client-kubelet"
const server = "kubelet-serving"
const any = "kube-apiserver-client"

test.each<[SignerName, Partial<AskedCertificate>, RegExp | undefined]>([
  [client, {}, undefined],
  [client, usages("client auth", "digital signature"), undefined],
  [client, usages("client auth", "client auth", "digital signature"), undefined],
  [client, usages("client auth"), /usages did not match \[digital signature, key encipherment, client auth\]/],
  [client, usages("client auth", "digital signature", "server auth"), /usages did not match/],
  [client, { organizations: ["system:nodes", "system:masters"] }, /organization/],
  [client, { organizations: [] }, /organization/],
  [client, { commonNames: ["alice"] }, /common name does not begin with system:node:/],
  [client, { commonNames: [] }, /common name/],
  [client, { commonNames: ["system:node:a", "alice"] }, /common name/],
  [client, { otherNames: [dns] }, /^DNS subjectAltNames are not allowed/],
  [client, { otherNames: [ip] }, /^IP/],
  [client, { otherNames: [email] }, /^Email/],
  [client, { otherNames: [url] }, /^URI/],
  [server, serving, undefined],
  [server, { ...serving, ...usages("key encipherment", "digital signature", "server auth") }, undefined],
  [server, { ...serving, otherNames: [ip] }, undefined],
  [server, { ...serving, otherNames: [] }, /DNS or IP subjectAltName is required/],
  [server, { ...serving, otherNames: [email] }, /DNS or IP/],
  [server, { ...serving, otherNames: [dns, email] }, /^Email/],
  [server, { ...serving, otherNames: [dns, url] }, /^URI/],
  [server, { ...serving, organizations: ["system:node"] }, /organization/],
  [server, { ...serving, commonNames: ["node"] }, /common name/],
  [server, { ...serving, ...usages("digital signature", "client auth") }, /usages did not match/],
  [any, { ...usages("client auth"), commonNames: ["alice"], organizations: ["dev"], otherNames: [email] }, undefined],
  [any, usages("client auth", "server auth"), /invalid usage for client certificate: server auth/],
  [any, usages("digital signature"), /missing required usage for client certificate: client auth/],
  [any, { ...usages("client auth"), organizations: ["dev", "system:masters"] }, /^subject organization system:masters is not allowed$/],
  ["legacy-unknown", { organizations: ["system:masters"] }, /system:masters is not allowed/],
  ["legacy-unknown", { ...usages("cert sign"), organizations: [], commonNames: [] }, undefined],
])("%s: %o", (signer, asked, refusal) => {
  const found = refusalOf(signer, { ...node, ...asked })
  if (refusal === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(refusal)
})
