/** Commands for the API keys of the workspace. They need its credentials; `key use` needs a person who is signed in. */

import type { Command } from 'commander'
import type { DataOf } from '#contract/core/operation.ts'
import {
  createApiKey,
  deleteApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  updateApiKey,
} from '#contract/keys/api-keys.ts'
import { addCommand } from '../../command.ts'
import type { Connection } from '../../connection/connection.ts'
import { saveProfile } from '../../connection/profiles.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, type Existing, record, table } from '../../terminal/output.ts'
import { column } from '../../terminal/table.ts'
import { note } from '../../terminal/terminal.ts'
import { DEFAULT_ACCESS, KEY } from '../parameters.ts'
import { ALREADY_DISABLED, AS_BEFORE, alreadyWith, foundBy, NOT_DISABLED } from '../structure/existing.ts'

/** Returns whether the key of a call already has these fields. */
async function already(connection: Connection, apiKey: string, fields: object): Promise<Existing> {
  const found = await foundBy(() => connection.forWorkspace().apiKeys.get({ apiKeys: [apiKey] }))
  return alreadyWith([apiKey], fields, found)
}

export const API_KEY_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'key list',
    operation: getApiKeys,
    parameters: [{ flags: '--query <text>', at: 'query' }],
    forPeople: { leaveOutUnavailable: true },
    show: table([column('API KEY', 'id'), column('NAME', 'apiKeyName'), column('TYPE'), column('DISABLED')]),
    examples: ['commonhold key list', 'commonhold key list --query staging'],
  },
  {
    name: 'key create',
    operation: createApiKey,
    parameters: [
      { flags: '<type>', at: 'type', help: 'The environment of the key.' },
      { flags: '<owner-email>', at: 'ownerEmail', help: 'The recipient of mails about the key.' },
      { flags: '--name <name>', at: 'apiKeyName', help: 'A name for people.' },
      { flags: '--plan <plan>', at: 'planInfo.type', help: 'The plan of a production key. Absent: a custom plan.' },
      { flags: '--domain <domain...>', at: 'allowedDomains', help: 'Hosts of pages that may call with a user token.' },
      DEFAULT_ACCESS,
      { flags: '--role <role>', at: 'defaultAccessRole' },
      {
        flags: '--roles <role...>',
        at: 'accessRoles',
        help: 'The roles of grants: viewer and editor, or commenter too.',
      },
      { flags: '--require-known-resources', at: 'requireKnownResources' },
      {
        flags: '--region <region>',
        at: 'persistenceDBRegion',
        help: 'Where its data is stored, if there are regions.',
      },
    ],
    fixed: { createAuthToken: true },
    implied: ({ type, planInfo }) => (type === 'production' && planInfo === undefined ? { customPlanInfo: true } : {}),
    save: ({ apiKey, authToken }: { apiKey: string; authToken: string }) => ({ apiKey, authToken }),
    show: record,
    examples: [
      'commonhold key create testing ada@example.com --name staging --access restricted --save',
      'commonhold key create production ada@example.com --access restricted',
    ],
  },
  {
    name: 'key rename',
    operation: updateApiKey,
    parameters: [KEY, { flags: '<name>', at: 'apiKeyName', help: 'The new name.' }],
    existing: (connection, { apiKey, apiKeyName }: DataOf<typeof updateApiKey>) =>
      already(connection, apiKey, { apiKeyName }),
    unchangedSays: AS_BEFORE,
    show: done,
    examples: ['commonhold key rename chk_test_… staging'],
  },
  {
    name: 'key disable',
    operation: disableApiKey,
    parameters: [KEY],
    existing: (connection, { apiKey }: DataOf<typeof disableApiKey>) => already(connection, apiKey, { disabled: true }),
    unchangedSays: ALREADY_DISABLED,
    show: done,
    examples: ['commonhold key disable chk_test_…'],
  },
  {
    name: 'key enable',
    operation: enableApiKey,
    parameters: [KEY],
    existing: (connection, { apiKey }: DataOf<typeof enableApiKey>) => already(connection, apiKey, { disabled: false }),
    unchangedSays: NOT_DISABLED,
    show: done,
    examples: ['commonhold key enable chk_test_…'],
  },
  {
    name: 'key delete',
    operation: deleteApiKey,
    parameters: [
      KEY,
      { flags: '<name>', at: 'apiKeyName', help: 'The name of the key, to confirm that it is the right one.' },
    ],
    confirm: ({ apiKey, apiKeyName }: { apiKey: string; apiKeyName: string }) =>
      `Delete the API key ${apiKey} (${apiKeyName}) with all its organizations, users and permissions?`,
    show: done,
    examples: ['commonhold key delete chk_test_… staging'],
  },
]

export function addKeyUse(program: Command): void {
  addCommand(program, 'key use', {
    summary: 'Choose the API key of later commands, if you are signed in as a person.',
    description:
      'With tokens instead of a person, an API key is chosen together with its auth token: commonhold profile add.',
    examples: ['commonhold key use chk_test_…'],
    async run({ words: [word], connection }) {
      const connected = connection()
      const { profile, session, url } = connected
      const apiKey = String(word)
      if (session === undefined)
        throw new Failure(
          'credentials',
          'Nobody is signed in.',
          'To sign in: commonhold login. To save a key with its token: commonhold profile add NAME',
        )
      const keys = await connected.forWorkspace().apiKeys.get()
      if (!keys.some(({ id }) => id === apiKey))
        throw wrongUsage(`The workspace has no API key ${JSON.stringify(apiKey)}.`, 'To list them: commonhold key list')
      saveProfile(profile, { url, apiKey })
      note(`Later commands with the profile ${profile} use it.`)
    },
  }).argument('<api-key>', 'The API key.')
}
