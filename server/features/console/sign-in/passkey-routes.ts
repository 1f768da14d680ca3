/** Routes of passkeys, and of confirming a session with one or with a token of the workspace. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ClosedObject } from '#contract/core/fields.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { consoleRoute, NoData } from '../call.ts'
import type { OperatorSession } from '../sessions/operator-sessions.ts'
import { type SessionDeps, Signed, sessionReader } from '../sessions/routes.ts'

const NewPasskey = ClosedObject({
  name: Type.String({ minLength: 1, maxLength: LIMITS.nameCharactersMax }),
  passkey: Signed,
})
const OnePasskey = ClosedObject({ passkeyId: Type.String({ minLength: 1, maxLength: LIMITS.tokenCharactersMax }) })
const Confirmation = ClosedObject({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.tokenCharactersMax })),
  passkey: Type.Optional(Signed),
})

export function passkeyRoutes(pipeline: Pipeline, deps: SessionDeps): void {
  const { app, limits } = pipeline
  const { operatorSessions: sessions } = deps
  const read = sessionReader(pipeline, deps)

  /** Returns the operator of the session, and counts the call. */
  async function operatorOf(request: FastifyRequest, reply: FastifyReply): Promise<OperatorSession> {
    const of = await read.operator(request)
    await limits.perKey.consume({ workspaceId: of.workspaceId }, reply)
    return of
  }

  consoleRoute(app, 'passkeys/sign-in', NoData, 'Sign-in began.', async (data, request, reply) => {
    read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    data()
    return { options: await sessions.signInOptions() }
  })

  consoleRoute(app, 'passkeys/list', NoData, 'Passkeys retrieved.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    data()
    return sessions.listPasskeys(of)
  })

  consoleRoute(app, 'passkeys/register', NoData, 'Registration began.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    data()
    return { options: await sessions.registrationOptions(of) }
  })

  consoleRoute(app, 'passkeys/add', NewPasskey, 'Passkey added.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    const { name, passkey } = data()
    await sessions.addPasskey(of, name, passkey as RegistrationResponseJSON, request.ip)
    return undefined
  })

  consoleRoute(app, 'passkeys/remove', OnePasskey, 'Passkey removed.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    await sessions.removePasskey(of, data().passkeyId, request.ip)
    return undefined
  })

  consoleRoute(app, 'session/challenge', NoData, 'Confirmation began.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    data()
    return { options: await sessions.confirmOptions(of) }
  })

  consoleRoute(app, 'session/confirm', Confirmation, 'Session confirmed.', async (data, request, reply) => {
    const of = await operatorOf(request, reply)
    await limits.perAddress.consume(request.ip, reply)
    const { token, passkey } = data()
    if (passkey !== undefined) await sessions.confirmWithPasskey(of, passkey as AuthenticationResponseJSON, request.ip)
    else if (token !== undefined) await sessions.confirmWithToken(of, token, request.ip)
    else throw invalidArgument([{ field: 'token', message: 'token or passkey is required' }])
    return undefined
  })
}
