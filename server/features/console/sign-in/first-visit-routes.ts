/** Routes of the first visit: whether the link can still be used, and creating the first workspace. */
import Type from 'typebox'
import { AccessType } from '#contract/access/permissions.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { Email } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { consoleRoute } from '../call.ts'
import { setSessionCookie } from '../sessions/cookie.ts'
import { originOf, type SessionDeps, sessionReader } from '../sessions/routes.ts'
import type { FirstVisit } from './first-visit.ts'

const Token = Type.String({ minLength: 1, maxLength: LIMITS.tokenCharactersMax })
const OneToken = ClosedObject({ token: Token })
const NewWorkspace = ClosedObject({
  token: Token,
  workspaceName: Type.String({ minLength: 1, maxLength: LIMITS.workspaceNameCharactersMax }),
  email: Type.Optional(Email('The address of the owner.')),
  defaultDocumentAccessType: Type.Optional(AccessType),
})

export interface FirstVisitDeps extends SessionDeps {
  firstVisit: FirstVisit
}

export function firstVisitRoutes(pipeline: Pipeline, deps: FirstVisitDeps): void {
  const { app, limits } = pipeline
  const { firstVisit, sessions } = deps
  const read = sessionReader(pipeline, deps)

  consoleRoute(app, 'first-visit/get', OneToken, 'The link can be used.', async (data, request, reply) => {
    read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    await firstVisit.check(data().token)
    return undefined
  })

  consoleRoute(app, 'first-visit/create', NewWorkspace, 'Workspace created.', async (data, request, reply) => {
    const before = read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    const { token, ...wanted } = data()
    const { session, workspace } = await firstVisit.create(token, wanted, originOf(request))
    setSessionCookie(request, reply, session, deps)
    if (before !== '') await sessions.end(before) // the new cookie replaces it
    return workspace
  })
}
