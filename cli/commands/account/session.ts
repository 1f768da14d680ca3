/** `logout` and `whoami`: the session of a person that `login` saved in a profile. */

import type { Command } from 'commander'
import type { CommandLineSession } from '#contract/workspace/device-sign-in.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand } from '../../command.ts'
import { type Connection, connect, sameServer } from '../../connection/connection.ts'
import { withoutCredentials } from '../../connection/credentials.ts'
import { forgetSession, readProfiles } from '../../connection/profiles.ts'
import { personOf, signInCalls } from '../../connection/sign-in.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { io } from '../../terminal/io.ts'
import { printJson } from '../../terminal/output.ts'
import { milliseconds, recordLines } from '../../terminal/table.ts'
import { note, print } from '../../terminal/terminal.ts'

export function addSession(program: Command): void {
  addCommand(program, 'logout', {
    summary: 'Sign out: ends the session on the server, and removes it from the profile.',
    description: 'Tokens in the profile stay, and later commands use them.',
    examples: ['commonhold logout', 'commonhold logout --profile work'],
    async run({ options }) {
      const { profile, server, url } = connect(options, withoutCredentials(io().env))
      const own = readProfiles().profiles[profile]
      const session = own?.session
      if (own === undefined || session === undefined) {
        note(`Nobody is signed in with the profile ${profile}.`)
        return
      }
      // The session is a secret of the server of the profile.
      if (!sameServer(own.url, url))
        throw wrongUsage(
          `The profile ${profile} is for ${own.url}.`,
          `To sign out there: commonhold logout --url ${own.url}`,
        )
      await ended(server, session)
      forgetSession(profile)
      note('Signed out.')
    },
  })

  addCommand(program, 'whoami', {
    summary: 'Show who is signed in: person, role, workspace, and until when.',
    examples: ['commonhold whoami', 'commonhold whoami --json'],
    async run({ options, connection }) {
      const found = await whoIs(connection())
      if (options.json === true) printJson(found)
      else for (const line of recordLines(forPeople(found))) print(line)
    },
  })
}

/** Returns a sentence about the two times at which a session expires. */
const forPeople = ({ endsAt, expiresAt, ...found }: Partial<Record<string, unknown>>): object => ({
  ...found,
  ...(endsAt === undefined
    ? {}
    : { 'ends if unused': milliseconds(endsAt), 'ends at the latest': milliseconds(expiresAt) }),
})

/** Ends a session, or finds that it has ended. */
async function ended(server: Connection['server'], session: string): Promise<void> {
  try {
    await signInCalls(server).end(session)
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.status !== 'UNAUTHENTICATED') throw error
  }
}

/** Returns who commands act as: a person, or a program with tokens. */
async function whoIs({ session, server, source, url, apiKey, workspaceId }: Connection): Promise<object> {
  const key = apiKey === undefined ? {} : { apiKey }
  if (session !== undefined) return { ...shown(await signInCalls(server).whoIsSignedIn(session.secret)), url, ...key }
  if (apiKey === undefined && workspaceId === undefined)
    throw new Failure('credentials', 'Nobody is signed in, and there are no tokens.', 'To sign in: commonhold login')
  note(`No person is signed in: commands act with tokens. ${source}`)
  return { url, ...key, ...(workspaceId === undefined ? {} : { workspaceId }) }
}

const shown = ({ operator, ...signedIn }: CommandLineSession) => ({
  person: personOf(operator),
  role: operator.role,
  ...{ workspaceId: signedIn.workspaceId, workspaceName: signedIn.workspaceName, machine: signedIn.machine },
  ...{ endsAt: signedIn.endsAt, expiresAt: signedIn.expiresAt },
})
