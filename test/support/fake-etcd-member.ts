/** A gRPC server in place of an etcd member: real connections, with responses and errors that the test sets. */
import { Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js"

type Fault = Pick<ServiceError, "code" | "details">

export interface FakeMember {
  readonly port: number
  /** Methods of the calls that arrived, in order. */
  readonly calls: string[]
  /** Instead of a response: an error, no response at all, or a closed connection once the call has arrived. */
  behaviour: "answers" | "hangs" | "drops" | Fault
  stop(): void
}

/** `answers`: responses by path, `/service/Method`. The caller stops the server. */
export async function startFakeMember(
  answers: Readonly<Record<string, (member: FakeMember) => Buffer>>,
  credentials = ServerCredentials.createInsecure(),
): Promise<FakeMember> {
  const server = new Server()
  const identity = (bytes: Buffer): Buffer => bytes
  const calls: string[] = []
  type Handler = (call: unknown, done: (error: Fault | null, answer?: Buffer) => void) => void
  const handlers: Record<string, Handler> = {}
  const service = Object.fromEntries(
    Object.entries(answers).map(([path, answer]) => {
      const method = path.slice(path.lastIndexOf("/") + 1)
      handlers[method] = (_call, done) => {
        calls.push(method)
        const { behaviour } = member
        if (behaviour === "answers") done(null, answer(member))
        else if (behaviour === "drops") server.forceShutdown()
        else if (behaviour !== "hangs") done(behaviour)
      }
      const streams = { requestStream: false, responseStream: false }
      const codec = {
        requestSerialize: identity,
        requestDeserialize: identity,
        responseSerialize: identity,
        responseDeserialize: identity,
      }
      return [method, { path, ...streams, ...codec }]
    }),
  )
  server.addService(service, handlers)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)))
  })
  const member: FakeMember = { port, calls, behaviour: "answers", stop: () => server.forceShutdown() }
  return member
}
