/** Routes for signing in the command line: the calls of the machine, and the calls of the operator who approves it in the console. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ClosedObject } from '#contract/core/fields.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { addressInHost, isOwnAddress } from '#platform/outbound/addresses.ts'
import { isCommandLineSession } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { consoleRoute, NoData } from '../call.ts'
import type { OperatorSession } from '../sessions/operator-sessions.ts'
import { originOf, type SessionDeps, sessionReader } from '../sessions/routes.ts'
import type { DeviceSignIns } from './sign-ins.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const StartDevice = ClosedObject({
  machine: Type.String({ minLength: 1, maxLength: LIMITS.nameCharactersMax }),
  workspaceId: Type.Optional(Text),
})
const DeviceCode = ClosedObject({ deviceCode: Text })
const UserCode = ClosedObject({ userCode: Text })

export interface DeviceDeps extends SessionDeps {
  deviceSignIns: DeviceSignIns
  /** Whether the addresses of callers are known behind a proxy too (`TRUST_PROXY`). */
  trustsProxy: boolean
}

export function deviceRoutes(pipeline: Pipeline, deps: DeviceDeps): void {
  const { app, authentication, limits } = pipeline
  const { deviceSignIns, headerPrefix, publicUrl, trustsProxy } = deps
  const read = sessionReader(pipeline, deps)

  /** Returns the session that a command line sends in place of a token; pages send none. */
  function commandLineSecret({ headers }: FastifyRequest): string {
    const secret = headers[`x-${headerPrefix}-auth-token`]
    if (typeof secret !== 'string' || headers.origin !== undefined || !isCommandLineSession(secret))
      throw credentialsInvalid()
    return secret
  }

  consoleRoute(app, 'device/start', StartDevice, 'Sign-in began.', async (data, request, reply) => {
    await limits.perAddress.consume(request.ip, reply)
    return deviceSignIns.start(data(), originOf(request))
  })

  consoleRoute(app, 'device/poll', DeviceCode, 'State retrieved.', async (data, request, reply) => {
    await limits.perAddress.consume(request.ip, reply)
    return deviceSignIns.poll(data().deviceCode, request.ip)
  })

  /**
   * Returns whether the browser calls this machine directly by its own address, and so not through a proxy that
   * others use too.
   */
  function isOpenedHere({ headers: { origin = publicUrl() } }: FastifyRequest): boolean {
    const { hostname = '' } = URL.parse(origin) ?? {}
    const address = addressInHost(hostname)
    return hostname === 'localhost' || (address !== undefined && isOwnAddress(address))
  }

  /**
   * Behind a proxy that is not trusted, all callers seem to have the address of the proxy, so the page must not say
   * that machine and browser have the same address. A proxy on this machine may not name its callers, so an address of
   * this machine counts only for a browser on this machine.
   */
  function isSameAddress({ address }: { address: string }, request: FastifyRequest): boolean {
    const { ip, headers } = request
    if (address !== ip) return false
    if (trustsProxy) return true
    if ((headers['x-forwarded-for'] ?? headers.forwarded) !== undefined) return false
    return !isOwnAddress(ip) || isOpenedHere(request)
  }

  /** Returns the operator who answers. A code can be guessed, so the calls of an address are limited. */
  async function answering(request: FastifyRequest, reply: FastifyReply): Promise<OperatorSession> {
    const of = await read.operator(request)
    await limits.perAddress.consume(request.ip, reply)
    return of
  }

  consoleRoute(app, 'device/get', UserCode, 'Request retrieved.', async (data, request, reply) => {
    const of = await answering(request, reply)
    const machine = await deviceSignIns.find(of, data().userCode)
    return machine === undefined ? {} : { request: { ...machine, isSameAddress: isSameAddress(machine, request) } }
  })

  consoleRoute(app, 'device/approve', UserCode, 'Answered.', async (data, request, reply) => {
    const of = await answering(request, reply)
    return { isAnswered: await deviceSignIns.approve(of, data().userCode) }
  })

  consoleRoute(app, 'device/deny', UserCode, 'Answered.', async (data, request, reply) => {
    const of = await answering(request, reply)
    return { isAnswered: await deviceSignIns.deny(of, data().userCode) }
  })

  consoleRoute(app, 'command-line/get', NoData, 'Session retrieved.', async (data, request, reply) => {
    const signedIn = await authentication.attempt(request, async () =>
      deviceSignIns.whoIsSignedIn(commandLineSecret(request)),
    )
    if (signedIn === undefined) throw credentialsInvalid()
    await limits.perKey.consume({ workspaceId: signedIn.workspaceId }, reply)
    data()
    return signedIn
  })

  consoleRoute(app, 'command-line/end', NoData, 'Signed out.', async (_data, request) => {
    await authentication.attempt(request, async () => deviceSignIns.end(commandLineSecret(request)))
    return undefined
  })
}
