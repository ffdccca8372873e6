/** The options of the signer of certificates: one pair of files for all signers, or pairs for single signers. */
import { option } from "./option.ts"
import { duration, text } from "./value-types.ts"

const file = text("file")
const group = "Kinds and features"
const certificate = (signer: string) =>
  option({ type: file, group, default: "", help: `The same for ${signer} alone; not beside --cluster-signing-cert-file.` })
const key = (signer: string) =>
  option({ type: file, group, default: "", help: `The same for ${signer} alone; not beside --cluster-signing-key-file.` })

export const signingOptions = {
  "cluster-signing-cert-file": option({
    type: file,
    group,
    default: "",
    help: "PEM file with the certificate of the authority that signs approved CertificateSigningRequests of the signers below kubernetes.io. Without it nothing is signed. Needs certificatesigningrequest-signing-controller in --controllers.",
  }),
  "cluster-signing-key-file": option({
    type: file,
    group,
    default: "",
    help: "PEM file with the private key of --cluster-signing-cert-file: RSA, P-256, P-384, P-521 or Ed25519, not encrypted.",
  }),
  "cluster-signing-duration": option({
    type: duration({ minMs: 10 * 60_000 }),
    group,
    default: 365 * 24 * 3600 * 1000,
    help: "How long a signed certificate is valid at most, and when its request says nothing.",
  }),
  "cluster-signing-kubelet-serving-cert-file": certificate("kubernetes.io/kubelet-serving"),
  "cluster-signing-kubelet-serving-key-file": key("kubernetes.io/kubelet-serving"),
  "cluster-signing-kubelet-client-cert-file": certificate("kubernetes.io/kube-apiserver-client-kubelet"),
  "cluster-signing-kubelet-client-key-file": key("kubernetes.io/kube-apiserver-client-kubelet"),
  "cluster-signing-kube-apiserver-client-cert-file": certificate("kubernetes.io/kube-apiserver-client"),
  "cluster-signing-kube-apiserver-client-key-file": key("kubernetes.io/kube-apiserver-client"),
  "cluster-signing-legacy-unknown-cert-file": certificate("kubernetes.io/legacy-unknown"),
  "cluster-signing-legacy-unknown-key-file": key("kubernetes.io/legacy-unknown"),
}
