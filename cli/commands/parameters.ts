/** Parameters that several commands share: resources and their fields, API keys, and the time limits of tokens. */
import type { Parameter } from '../command-parameters.ts'
import { type Column, column } from '../terminal/table.ts'
import type { Question } from '../terminal/terminal.ts'
import { A_TIME, endSeconds, spanSeconds } from '../times.ts'
import { json, resourceNamed } from '../values.ts'

export const ORG: Parameter = { flags: '-o, --org <organization>', at: 'organizationId' }
export const CREATE_ORG: Parameter = {
  flags: '--create-org',
  at: 'createOrganization',
  help: 'Add the organization if it does not exist.',
}

/** Returns the word for a field of a resource: `name` for `folderName`, `text-color` for `textColor`. */
const wordOf = (field: string): string =>
  field
    .replace(/^(?:folder|document|organization)(?=[A-Z])/, '')
    .replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`)

/** Returns an option for each of the fields of a resource, which is at a path in `data`. */
export const optionsOf = (fields: object, at: string): Parameter[] =>
  Object.keys(fields).map((field) => ({ flags: `--${wordOf(field)} <${wordOf(field)}>`, at: `${at}.${field}` }))

/** Returns a column for each of the fields of a resource. */
export const columnsOf = (fields: object): Column[] =>
  Object.keys(fields).map((field) => column(wordOf(field).toUpperCase(), field))

export const metadata = (at: string): Parameter => ({
  flags: '--metadata <json>',
  at,
  help: 'Custom fields, as a JSON object.',
  read: json,
})

export const access = (what: string): Parameter[] => [
  { flags: '--type <type>', at: 'accessType' },
  {
    flags: '--inherit',
    at: 'inheritFromParent',
    help: `Remove the access type of the ${what} itself, so that it inherits from its parent.`,
  },
]

export const RESOURCES: Parameter = {
  flags: '<resource...>',
  at: 'permissions.resources',
  help: 'organization:ID, folder:ID or document:ID.',
  read: resourceNamed,
}
export const OF_EACH: Parameter = {
  flags: '-o, --org <organization>',
  at: 'permissions.resources[].organizationId',
  help: 'The organization of folders and documents.',
}
export const RESOURCE: Parameter = { ...RESOURCES, flags: '<resource>', at: 'resource' }
export const OF_RESOURCE: Parameter = { ...OF_EACH, at: 'resource.organizationId' }

export const KEY: Parameter = { flags: '<api-key>', at: 'apiKey', help: 'The API key: chk_….' }

/** The key of commands about tokens, which may be that of the profile. */
export const KEY_IN_USE: Parameter = {
  flags: '[api-key]',
  at: 'apiKey',
  help: 'The API key: chk_…. Absent: the one of the profile or the environment.',
  inUse: ({ apiKey }) => apiKey,
}

export const EXPIRES: Parameter = {
  flags: '--expires <when>',
  at: 'expiresAt',
  help: `When the token expires: ${A_TIME}`,
  read: endSeconds,
}

export const GRACE: Parameter = {
  flags: '--grace <span>',
  at: 'gracePeriodSeconds',
  help: 'How long the existing tokens stay valid: 1h.',
  read: spanSeconds,
}

const ACCESS_QUESTION: Question = {
  message: 'Who has access to documents and folders without an access type of their own?',
  choices: [
    { value: 'restricted', hint: 'only users with a grant' },
    { value: 'organizationPrivate', hint: 'members of the organization' },
    { value: 'public', hint: 'every user of the key, as editor' },
  ],
  otherwise:
    'Documents are public by default: every user of the key can edit them. To decide: --access restricted, organizationPrivate or public.',
}

/** The default access type of a new API key, which people are asked for. */
export const DEFAULT_ACCESS: Parameter = {
  flags: '--access <type>',
  at: 'defaultDocumentAccessType',
  help: 'The access type of documents and folders without one of their own. Absent: public.',
  ask: ACCESS_QUESTION,
}
