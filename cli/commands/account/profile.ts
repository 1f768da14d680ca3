/** Commands for profiles. */
import type { Command } from 'commander'
import { createPublicClient } from '#sdk/client.ts'
import { addCommand } from '../../command.ts'
import { DEFAULT_PROFILE, DEFAULT_URL } from '../../connection/connection.ts'
import { environmentOf } from '../../connection/credentials.ts'
import {
  changeProfiles,
  FIELDS,
  type Profile,
  profileNamed,
  profilesFile,
  readProfiles,
  SECRETS,
  saveProfile,
} from '../../connection/profiles.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { printJson, printJsonLine } from '../../terminal/output.ts'
import { column, recordLines, tableLines } from '../../terminal/table.ts'
import { canAsk, note, print, readSecret } from '../../terminal/terminal.ts'

export function addProfile(program: Command): void {
  addCommand(program, 'profile add', {
    callsServer: false,
    summary: 'Save an address and credentials under a name.',
    description:
      'If the profile exists, the credentials are added to it; with another --url they replace those that it has. Tokens are read from a prompt or from standard input, one per line. They are never arguments, because every user of the machine can read arguments.',
    examples: [
      'commonhold profile add staging --url https://commonhold.example.com --api-key chk_test_…',
      'commonhold profile add staging --url https://commonhold.example.com --api-key chk_test_… < token.txt',
    ],
    async run({ words: [name], options }) {
      const { headerPrefix, apiKey, workspace: workspaceId } = options as Record<string, string | undefined>
      const profile = String(name)
      const url = options.url ?? profileNamed(profile)?.url ?? DEFAULT_URL
      checkAddress(url, headerPrefix)
      const secrets = await readSecrets(apiKey !== undefined, workspaceId !== undefined)
      const given = { headerPrefix, apiKey, workspaceId, ...secrets }
      const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      saveProfile(profile, { url, ...fields })
      note(`Saved in the profile ${profile} of ${profilesFile()}.`)
    },
  })
    .argument('[name]', 'The name of the profile.', DEFAULT_PROFILE)
    .option('--url <url>', `The address of the server. Absent: that of the profile, or ${DEFAULT_URL} for a new one.`)
    .option('--header-prefix <word>', "The server's HEADER_PREFIX, if it is set.")
    .option('--api-key <api-key>', 'The API key. You are asked for its auth token.')
    .option('--workspace <id>', 'The workspace. You are asked for its token.')

  addCommand(program, 'profile list', {
    callsServer: false,
    summary: 'List the profiles.',
    examples: ['commonhold profile list'],
    async run({ options }) {
      const { current, profiles } = readProfiles()
      const rows = Object.entries(profiles).map(([name, { url, apiKey, workspaceId, person }]) => ({
        name,
        url,
        apiKey,
        environment: environmentOf(apiKey ?? ''),
        workspaceId,
        person,
        current: name === current,
      }))
      const columns = [
        column('', 'current', (value) => (value === true ? '*' : '')),
        column('NAME'),
        column('URL'),
        column('API KEY', 'apiKey'),
        column('ENVIRONMENT'),
        column('WORKSPACE', 'workspaceId'),
        column('PERSON'),
      ]
      if (options.json === true) rows.forEach(printJsonLine)
      else if (rows.length === 0) note('No profiles. To add one: commonhold profile add NAME')
      else for (const line of tableLines(columns, rows)) print(line)
    },
  }).option('--json', 'Write one line of JSON for each profile.')

  addCommand(program, 'profile show', {
    callsServer: false,
    summary: 'Show a profile, with its secrets hidden.',
    examples: ['commonhold profile show staging'],
    async run({ words: [name], options }) {
      const { current, profiles } = readProfiles()
      const { profile } = found(profiles, typeof name === 'string' ? name : (current ?? DEFAULT_PROFILE))
      const shown = FIELDS.filter((field) => profile[field] !== undefined).map((field) => [
        field,
        SECRETS.includes(field) ? `${'*'.repeat(8)}${profile[field]?.slice(-4)}` : profile[field],
      ])
      if (options.json === true) printJson(Object.fromEntries(shown))
      else for (const line of recordLines(Object.fromEntries(shown))) print(line)
    },
  })
    .argument('[name]', 'The name of the profile. Absent: the current one.')
    .option('--json', 'Write JSON.')

  addCommand(program, 'profile use', {
    callsServer: false,
    summary: 'Make a profile the current one, which commands use without --profile.',
    examples: ['commonhold profile use staging'],
    async run({ words: [name] }) {
      changeProfiles((all) => {
        found(all.profiles, String(name))
        return { ...all, current: String(name) }
      })
    },
  }).argument('<name>', 'The name of the profile.')

  addCommand(program, 'profile remove', {
    callsServer: false,
    summary:
      'Delete a profile. Its tokens and its session stay valid: revoke the tokens if others may know them, and log out before.',
    examples: ['commonhold profile remove staging'],
    async run({ words: [name] }) {
      changeProfiles(({ current, profiles }) => {
        found(profiles, String(name))
        const { [String(name)]: _, ...others } = profiles
        return { ...(current === name ? {} : { current }), profiles: others }
      })
    },
  }).argument('<name>', 'The name of the profile.')
}

function found(profiles: Record<string, Profile>, name: string): { profile: Profile } {
  const profile = profileNamed(name, profiles)
  if (profile === undefined)
    throw wrongUsage(`There is no profile ${JSON.stringify(name)}.`, 'To list the profiles: commonhold profile list')
  return { profile }
}

function checkAddress(url: string, headerPrefix: string | undefined): void {
  try {
    createPublicClient({ url, ...(headerPrefix === undefined ? {} : { headerPrefix }) })
  } catch (error) {
    throw wrongUsage(`${(error as Error).message}.`)
  }
}

async function readSecrets(ofKey: boolean, ofWorkspace: boolean): Promise<Partial<Profile>> {
  const fields = [...(ofKey ? ['authToken'] : []), ...(ofWorkspace ? ['workspaceToken'] : [])]
  const labels: Record<string, string> = {
    authToken: 'Auth token of the API key',
    workspaceToken: 'Token of the workspace',
  }
  if (fields.length === 0) return {}
  const given: string[] = []
  if (canAsk()) for (const field of fields) given.push(await readSecret(labels[field] ?? field))
  else
    given.push(
      ...(await readSecret(fields.map((field) => labels[field]).join(', '))).split(/\r?\n/).map((line) => line.trim()),
    )
  return Object.fromEntries(
    fields.map((field, index) => {
      const secret = given[index]
      if (secret === undefined || secret === '')
        throw new Failure(
          'credentials',
          `${labels[field]}: missing.`,
          'Enter it at the prompt, or write it to standard input, one token per line.',
        )
      return [field, secret]
    }),
  )
}
