/** The server could not start for a reason that the user can fix. The message says what to do; no stack is shown. */
export class StartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "StartError"
  }
}
