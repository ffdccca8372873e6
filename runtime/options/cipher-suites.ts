/** The cipher suites of `--tls-cipher-suites`: Go's names, since the option is the reference's, and OpenSSL's. */
import { oneOf, type ValueType } from "./value-types.ts"

export interface CipherSuite {
  /** Go's name. */
  readonly name: string
  /** OpenSSL's. */
  readonly openssl: string
  /** `always`: a suite of TLS 1.3, which no option turns off. `default`: on without the option. */
  readonly use: "always" | "default" | "asked" | "insecure"
}

const rows = [
  ["TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", "always"],
  ["TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", "always"],
  ["TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "always"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", "default"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "default"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "default"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384", "default"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "default"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "default"],
  // Older names of the two before.
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305", "asked"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305", "asked"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA", "default"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA", "default"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA", "default"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA", "default"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256", "insecure"],
  ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", "insecure"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA", "insecure"],
  ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA", "insecure"],
  ["TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA", "insecure"],
  ["TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA", "insecure"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256", "insecure"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256", "insecure"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256", "insecure"],
  ["TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA", "insecure"],
  ["TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA", "insecure"],
  ["TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA", "insecure"],
] as const

/** In the server's order of preference, which is Go's: the order of the option does not count. */
export const cipherSuites: readonly CipherSuite[] = rows.map(([name, openssl, use]) => ({ name, openssl, use }))

/** One name. */
export const cipherSuite: ValueType<(typeof rows)[number][0]> = oneOf(...rows.map(([name]) => name))
