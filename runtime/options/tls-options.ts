/** The options of the listener's TLS. */
import { cipherSuite } from "./cipher-suites.ts"
import { namedPairs } from "./named-pairs.ts"
import { option } from "./option.ts"
import { listOf, oneOf, text } from "./value-types.ts"

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
    help: "PEM file with the serving certificate and its intermediate certificates. Read again when it changes, with its key.",
  }),
  "tls-private-key-file": option({
    type: file,
    group: "Certificates",
    default: "",
    help: "PEM file with the private key of --tls-cert-file.",
  }),
  "tls-sni-cert-key": option({
    type: namedPairs,
    group: "Certificates",
    default: [],
    help: "A further certificate and its key, for clients that ask for the host names behind the colon: foo.crt,foo.key:*.foo.com,foo.com. Without names, those of the certificate. May be repeated. Read again when they change.",
  }),
  "tls-min-version": option({
    type: oneOf("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"),
    group: "Certificates",
    default: "VersionTLS12",
    help: "Oldest TLS version accepted. The first two are insecure: their signatures are made with SHA-1.",
  }),
  "tls-cipher-suites": option({
    type: listOf(cipherSuite, "suites"),
    group: "Certificates",
    default: [],
    defaultText: "those with ECDHE that are not insecure",
    help: "Cipher suites of TLS 1.2 and older, by Go's names; those of TLS 1.3 are always on. The order does not count. Insecure ones (without ECDHE, CBC with SHA-256, triple DES, RC4) are accepted with a warning, as far as OpenSSL has them.",
  }),
} as const
