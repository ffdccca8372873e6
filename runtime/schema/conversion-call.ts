/** What is measured of the calls of conversion hooks. */

/** The versions between which a hook is asked to convert: `v1`. */
export interface ConversionCall {
  readonly from: string
  readonly to: string
}

/** Why a conversion failed: there was no review in answer, it was wrong or of a failure, or its objects were. */
export type ConversionFailure = "call" | "malformed_response" | "partial_response" | "invalid_converted_object"

/** Called when a hook is called; the returned function once when the call has ended, with why it failed. */
export type ConversionStarted = (call: ConversionCall) => (failure?: ConversionFailure) => void
