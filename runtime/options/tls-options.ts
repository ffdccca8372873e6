/** The options of the listener's TLS. */
import { option } from "./option.ts"
import { oneOf, text } from "./value-types.ts"

const file = text("file")

export const tlsOptions = {
  "cert-dir": option({
    type: text("folder"),
    group: "Certificates",
    default: "",
    defaultText: "pki in the data folder",
    help: "Folder in which the self-signed certificate is created and kept. Not used when --tls-cert-file is given.",
  }),
  "tls-cert-file": option({
    type: file,
    group: "Certificates",
    default: "",
    help: "PEM file with the serving certificate and its intermediate certificates.",
  }),
  "tls-private-key-file": option({
    type: file,
    group: "Certificates",
    default: "",
    help: "PEM file with the private key of --tls-cert-file.",
  }),
  "tls-min-version": option({
    type: oneOf("VersionTLS12", "VersionTLS13"),
    group: "Certificates",
    default: "VersionTLS12",
    help: "Oldest TLS version accepted.",
  }),
} as const
