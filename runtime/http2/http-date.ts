/** The `date` of an answer: RFC 9110 section 6.6.1. */

let text = ""
let untilMs = 0

/** Called for each answer; the text is formatted once per second. Uses real time, as node does for HTTP/1.1. */
export function httpDate(): string {
  const nowMs = Date.now()
  if (nowMs >= untilMs || nowMs < untilMs - 1000) {
    text = new Date(nowMs).toUTCString()
    untilMs = nowMs - (nowMs % 1000) + 1000
  }
  return text
}
