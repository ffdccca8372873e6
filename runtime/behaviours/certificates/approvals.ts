/** The decisions on a request for a certificate. */
export const approvals: readonly string[] = ["Approved", "Denied"]
