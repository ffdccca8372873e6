/** The library that reads and makes certificates. */

/**
 * Loads it when a certificate is made, not at every start. The library requires its metadata registry to be loaded
 * first.
 */
export async function loadCertificateMaker(): Promise<typeof import("@peculiar/x509")> {
  await import("reflect-metadata")
  return import("@peculiar/x509")
}
