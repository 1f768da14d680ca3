/** `login`: signs in as a person, who approves this machine in the console. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { CommandLineSession, DeviceCodes } from '#contract/workspace/device-sign-in.ts'
import { createWorkspaceClient } from '#sdk/client.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand, type Run } from '../../command.ts'
import { type Connection, connect, DEFAULT_PROFILE, sameServer } from '../../connection/connection.ts'
import { withoutCredentials } from '../../connection/credentials.ts'
import { type Profile, profilesFile, readProfiles, saveProfile } from '../../connection/profiles.ts'
import { machineName, personOf, signInCalls } from '../../connection/sign-in.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { io } from '../../terminal/io.ts'
import { printJson } from '../../terminal/output.ts'
import { withSpinner } from '../../terminal/progress.ts'
import { canAsk, choose, coloured, colouredNote, note, plain, print } from '../../terminal/terminal.ts'

export function addLogin(program: Command): void {
  addCommand(program, 'login', {
    summary: 'Sign in as a person: you approve this machine in the console.',
    description:
      'Prints a code that you enter in the console, in any browser where you are signed in, even on another machine. From then on the commands of the profile act as you, with your role, and events name you. Replaces an earlier session of the profile.',
    examples: ['commonhold login', 'commonhold login https://commonhold.example.com --profile work'],
    run: login,
  })
    .argument(
      '[address]',
      'The address of the server. Default: the address in the profile, or of a server on this machine.',
    )
    .option('--workspace <id>', 'Let only people of this workspace approve. Default: the workspace of the profile.')
    .option(
      '--key <api-key>',
      'The API key of later commands. Default: the key in the profile, or the only key of the workspace.',
    )
}

async function login({ words: [address], options }: Run): Promise<undefined> {
  const { connection, profile } = target(typeof address === 'string' ? address : undefined, options)
  const { profile: name, server, url, headerPrefix } = connection
  const calls = signInCalls(server)
  const workspaceId = typeof options.workspace === 'string' ? options.workspace : profile?.workspaceId
  const codes = await calls.start({ machine: machineName(), ...(workspaceId !== undefined && { workspaceId }) })
  note(`To sign in, open ${colouredNote('cyan', plain(codes.verificationUrl))}`)
  note(`and enter the code ${colouredNote('bold', plain(codes.userCode))}`)
  if (workspaceId !== undefined)
    note(
      `Only people of the workspace ${workspaceId} can approve. For another one, use another profile: --profile NAME`,
    )
  const { session, ...signedIn } = await withSpinner('Waiting for you to approve', () => approved(calls, codes))
  const person = personOf(signedIn.operator)
  const fields = { url, ...(headerPrefix === undefined ? {} : { headerPrefix }) }
  // Saved before anything else can fail: the server has the session now.
  saveProfile(name, { ...fields, workspaceId: signedIn.workspaceId, session, person })
  if (profile?.session !== undefined) await endReplaced(calls.end(profile.session))
  const apiKey = await keyFor(connection, signedIn, session, options.key)
  if (apiKey !== undefined) saveProfile(name, { ...fields, apiKey })
  report(name, signedIn, apiKey, options.json === true)
  return undefined
}

/** Returns the connection, whose profile need not exist, and that profile. Refuses to replace a profile for another server. */
function target(address: string | undefined, options: Run['options']): { connection: Connection; profile?: Profile } {
  const { profiles, current } = readProfiles()
  const env = withoutCredentials(io().env)
  const name = options.profile ?? (io().env.COMMONHOLD_PROFILE || current || DEFAULT_PROFILE)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  const url = address ?? options.url
  if (profile === undefined) {
    const { profile: _, ...others } = options
    if (url === undefined && current !== undefined && !io().env.COMMONHOLD_URL)
      throw wrongUsage(`The profile ${name} is new.`, `To sign in with it: commonhold login ADDRESS --profile ${name}`)
    const connection = connect(
      { ...others, ...(url === undefined ? {} : { url }) },
      { ...env, COMMONHOLD_PROFILE: undefined },
    )
    return { connection: { ...connection, profile: name } }
  }
  const connection = connect({ ...options, ...(url === undefined ? {} : { url }) }, env)
  if (!sameServer(profile.url, connection.url))
    throw wrongUsage(
      `The profile ${name} is for ${profile.url}.`,
      `To keep it: commonhold login ${connection.url} --profile NAME`,
    )
  return { connection, profile }
}

type Calls = ReturnType<typeof signInCalls>

/** Asks until somebody has answered. A server that cannot be reached for a moment is asked again. */
async function approved(calls: Calls, { deviceCode, ...codes }: DeviceCodes) {
  const deadline = performance.now() + codes.expiresInSeconds * 1_000
  let waitMs = codes.intervalSeconds * 1_000
  for (;;) {
    await sleep(waitMs)
    if (performance.now() > deadline) throw expired()
    const polled = await calls.poll(deviceCode).catch((error: unknown) => {
      if (!(error instanceof CommonholdError) || !error.retryable) throw error
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0)
      return undefined
    })
    if (polled === undefined) continue
    switch (polled.state) {
      case 'approved':
        return polled
      case 'access_denied':
        throw new Failure('credentials', 'The sign-in was refused in the console.', 'Nothing was changed here.')
      case 'expired_token':
        throw expired()
      default:
        waitMs = polled.intervalSeconds * 1_000
    }
  }
}

const expired = () =>
  new Failure('credentials', 'The code has expired, or was used already.', 'For a new one: commonhold login')

/** The new session is used even if the old one could not be ended; the old one then expires by itself. */
async function endReplaced(ended: Promise<void>): Promise<void> {
  try {
    await ended
  } catch (error) {
    if (!(error instanceof CommonholdError)) throw error
  }
}

/**
 * Returns the API key of later commands: the key in the options, the key of the profile, the only key, or the key that the
 * person chooses.
 */
async function keyFor(
  { server, profile }: Connection,
  { workspaceId }: CommandLineSession,
  session: string,
  wanted: unknown,
): Promise<string | undefined> {
  const workspace = createWorkspaceClient({ ...server, workspaceId, workspaceToken: session })
  // Unless a key is named, signing in works while a database is down.
  const keys = await workspace.apiKeys.get({ leaveOutUnavailable: typeof wanted !== 'string' })
  const named = typeof wanted === 'string' ? wanted : readProfiles().profiles[profile]?.apiKey
  if (named !== undefined && keys.some(({ id }) => id === named)) return named
  if (typeof wanted === 'string')
    throw wrongUsage(
      `You are signed in, but the workspace has no API key ${wanted}.`,
      'To list them: commonhold key list',
    )
  if (keys.length < 2 || !canAsk()) return keys.length === 1 ? keys[0]?.id : undefined
  const choices = keys.map(({ id, apiKeyName }) => ({ value: id, hint: plain(apiKeyName) }))
  return choose({ message: 'Which API key do later commands use?', choices, otherwise: '' })
}

function report(profile: string, signedIn: CommandLineSession, apiKey: string | undefined, json: boolean): void {
  const { operator, workspaceName, workspaceId } = signedIn
  if (json) printJson({ ...signedIn, ...(apiKey === undefined ? {} : { apiKey }), profile })
  else
    print(
      `${coloured('green', '✓')} Signed in as ${plain(personOf(operator))}, ${operator.role} of ${plain(workspaceName)} (${workspaceId}).`,
    )
  note(`Saved in the profile ${profile} of ${profilesFile()}.`)
  if (readProfiles().current !== profile) note(`To use it by default: commonhold profile use ${profile}`)
  if (apiKey === undefined) note('No API key is chosen. To choose one: commonhold key use API-KEY')
}
