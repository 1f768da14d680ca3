/** Completes the ids of records on the server, with the credentials of the line, and the names of profiles. */
import type { RootCommand } from '@bomb.sh/tab'
import { connect, type GlobalOptions } from '../connection/connection.ts'
import { readProfiles } from '../connection/profiles.ts'
import { withWarnings } from '../connection/warnings.ts'
import { plain } from '../terminal/terminal.ts'

/** An id, and the name beside it. */
type Suggestion = readonly [id: string, name: string]

/** A shell waits for the suggestions at every key press. */
const SECONDS_MAX = 2
const ROWS_MAX = 1_000

/** Matches ids that no shell has to quote: a suggestion is always exactly one word of the line. */
const PLAIN = /^[\w.@+-]{1,200}$/

/** The names of arguments and options whose values are ids, with the kinds of the ids. */
const KINDS: Readonly<Record<string, Kind>> = {
  organization: 'organization',
  org: 'organization',
  folder: 'folder',
  document: 'document',
  user: 'user',
  group: 'group',
  resource: 'resource',
  'api-key': 'key',
  endpoint: 'endpoint',
  profile: 'profile',
}
type Kind = 'organization' | 'folder' | 'document' | 'user' | 'group' | 'resource' | 'key' | 'endpoint' | 'profile'

/** Prints the suggestions for the last of `words`, as `known.parse` does, including suggestions that need a request. */
export async function suggest(known: RootCommand, words: readonly string[]): Promise<void> {
  const wanted = wantedKind(known, words)
  const found = wanted === undefined ? [] : await quietly(() => idsOf(wanted, words))
  for (const parameter of parametersOf(known))
    parameter.handler = (complete: (id: string, name: string) => void) => {
      for (const [id, name] of found) complete(id, name)
    }
  known.parse([...words])
}

/** Prints nothing else beside the line that is being typed: no warnings of the calls, and no suggestions if the server does not respond. */
async function quietly(find: () => Promise<Suggestion[]>): Promise<Suggestion[]> {
  const [found] = await withWarnings(() => find().catch(() => []))
  return found
}

/** The parameters whose values are ids. */
const parametersOf = (known: RootCommand) =>
  [...known.commands.values()].flatMap((command) => [
    ...[...command.arguments.values()].filter(({ name }) => name in KINDS),
    ...[...command.options.values()].filter(({ value, isBoolean }) => isBoolean !== true && value in KINDS),
  ])

/** Returns the kind of the id that the last word is. */
function wantedKind(known: RootCommand, words: readonly string[]): Kind | undefined {
  let wanted: Kind | undefined
  for (const parameter of parametersOf(known))
    parameter.handler = () => {
      wanted = KINDS['name' in parameter ? parameter.name : parameter.value]
    }
  const { log } = console
  console.log = () => {}
  known.parse([...words])
  console.log = log
  return wanted
}

async function idsOf(kind: Kind, words: readonly string[]): Promise<Suggestion[]> {
  if (kind === 'profile') return unquoted(Object.entries(readProfiles().profiles).map(([name, { url }]) => [name, url]))
  const given: GlobalOptions = { timeout: SECONDS_MAX }
  const [profile, url] = [wordAfter(words, '--profile'), wordAfter(words, '--url')]
  const connection = connect({ ...given, ...(profile && { profile }), ...(url && { url }) })
  if (kind === 'key') {
    const keys = await connection.forWorkspace().apiKeys.get({ leaveOutUnavailable: true })
    return unquoted(keys.map(({ id, apiKeyName }) => [id, apiKeyName]))
  }
  const client = connection.forKey()
  const pageSize = ROWS_MAX
  if (kind === 'endpoint') {
    const { endpoints } = await client.webhookEndpoints.get()
    return unquoted(endpoints.map(({ id, url }) => [id, url]))
  }
  const organizationId = wordAfter(words, '--org') ?? wordAfter(words, '-o')
  const organizations = async (): Promise<Suggestion[]> =>
    (await client.organizations.get({ pageSize })).map(({ id, organizationName = '' }) => [id, organizationName])
  if (kind === 'organization') return unquoted(await organizations())
  if (kind === 'user' && organizationId === undefined) {
    const { profiles } = await client.profiles.list({ pageSize })
    return unquoted(profiles.map(({ userId, name = '' }) => [userId, name]))
  }
  if (organizationId === undefined)
    return kind === 'resource' ? named('organization', unquoted(await organizations())) : []
  const of = { organizationId, pageSize }
  const folders = async (): Promise<Suggestion[]> =>
    (await client.folders.get(of)).map(({ folderId, folderName = '' }) => [folderId, folderName])
  const documents = async (): Promise<Suggestion[]> =>
    (await client.documents.get(of)).map(({ id, documentName = '' }) => [id, documentName])
  switch (kind) {
    case 'folder':
      return unquoted(await folders())
    case 'document':
      return unquoted(await documents())
    case 'user':
      return unquoted((await client.users.get(of)).map(({ userId, name = '' }) => [userId, name]))
    case 'group':
      return unquoted(
        (await client.userGroups.get({ organizationId })).map(({ groupId, groupName = '' }) => [groupId, groupName]),
      )
    case 'resource':
      return [
        [`organization:${organizationId}`, ''],
        ...named('folder', unquoted(await folders())),
        ...named('document', unquoted(await documents())),
      ]
  }
}

/** Each suggestion is one line, even if a name contains line breaks. */
const unquoted = (all: readonly Suggestion[]): Suggestion[] =>
  all.filter(([id]) => PLAIN.test(id)).map(([id, name]) => [id, plain(name)])
const named = (type: string, all: readonly Suggestion[]): Suggestion[] =>
  all.map(([id, name]) => [`${type}:${id}`, name])

/** Returns the word after an option, or after its `=`. */
function wordAfter(words: readonly string[], option: string): string | undefined {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`))
  const word = words[at]
  return word === option ? words[at + 1] : word?.slice(option.length + 1)
}
