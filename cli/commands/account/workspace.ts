/** Commands for the workspace. */

import type { ResultOf } from '#contract/core/operation.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { lines } from '../../terminal/output.ts'
import { recordLines } from '../../terminal/table.ts'
import { EVENT_FILTERS, EVENT_LINES, WITH_NAMES } from '../events/events.ts'
import { DEFAULT_ACCESS } from '../parameters.ts'

const SUMMARY = lines(({ id, name, owner, apiKeyList }: ResultOf<typeof getWorkspace>) =>
  recordLines({ id, name, owner: owner.email, apiKeys: Object.keys(apiKeyList).length }),
)

const CREATED = lines(({ id, name, owner, authToken, apiKeyList }: ResultOf<typeof createWorkspace>) =>
  recordLines({ id, name, owner: owner.email, authToken, apiKey: Object.keys(apiKeyList).join(', ') }),
)

export const WORKSPACE_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'workspace create',
    operation: createWorkspace,
    parameters: [
      { flags: '<owner-email>', at: 'ownerEmail', help: 'The e-mail address of the owner.' },
      { flags: '--name <name>', at: 'workspaceName', help: 'A name for people.' },
      DEFAULT_ACCESS,
    ],
    save: ({ id, authToken }: { id: string; authToken: string }) => ({ workspaceId: id, workspaceToken: authToken }),
    show: CREATED,
    examples: ['commonhold workspace create ada@example.com --access restricted --save'],
  },
  { name: 'workspace show', operation: getWorkspace, show: SUMMARY, examples: ['commonhold workspace show --json'] },
  {
    name: 'workspace events',
    operation: listAccountEvents,
    parameters: [{ flags: '--key <api-key>', at: 'apiKey' }, ...EVENT_FILTERS],
    forPeople: WITH_NAMES,
    show: EVENT_LINES,
    limit: 50,
    examples: ['commonhold workspace events --type auth_token.reset --since 30d'],
  },
]
