/** Commands for organizations. */

import type { DataOf } from '#contract/core/operation.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { items, table } from '../../terminal/output.ts'
import { column } from '../../terminal/table.ts'
import { metadata } from '../parameters.ts'
import {
  ALREADY_DISABLED,
  AS_BEFORE,
  alreadyWith,
  existingAmong,
  foundBy,
  NOT_DISABLED,
  unchangedAmong,
} from './existing.ts'

const ORGS: Parameter = { flags: '<organization...>', at: 'organizationIds' }
const ORG_COLUMNS = [column('ORGANIZATION', 'id'), column('NAME', 'organizationName'), column('DISABLED')]

type Naming = Pick<DataOf<typeof disableOrganizations>, 'organizationIds'>

const named = (connection: Connection, { organizationIds }: Naming) =>
  foundBy(() => connection.forKey().organizations.get({ organizationIds }))

/** Returns the organizations as a call gives them, and as they are stored. */
async function compared(
  connection: Connection,
  { organizations }: DataOf<typeof addOrganizations> | DataOf<typeof updateOrganizations>,
) {
  const given = organizations.map(({ organizationId: id, ...fields }) => ({ id, ...fields }))
  return [given, (await named(connection, { organizationIds: given.map(({ id }) => id) })) ?? []] as const
}

export const ORGANIZATION_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'org list',
    operation: getOrganizations,
    show: table(ORG_COLUMNS),
    examples: ['commonhold org list', 'commonhold org list --json | jq -r .id'],
  },
  {
    name: 'org get',
    operation: getOrganizations,
    parameters: [ORGS],
    show: table(ORG_COLUMNS),
    summary: 'Get organizations by id',
    examples: ['commonhold org get acme globex'],
  },
  {
    name: 'org add',
    operation: addOrganizations,
    summary: 'Add an organization, or change it',
    parameters: [
      { flags: '<organization>', at: 'organizations[0].organizationId' },
      { flags: '--name <name>', at: 'organizations[0].organizationName' },
      metadata('organizations[0]'),
    ],
    existing: async (connection, data: DataOf<typeof addOrganizations>) =>
      existingAmong(...(await compared(connection, data))),
    show: items,
    examples: ['commonhold org add acme --name "Acme Inc."'],
  },
  {
    name: 'org update',
    operation: updateOrganizations,
    summary: 'Change the name or the metadata of an organization',
    parameters: [
      { flags: '<organization>', at: 'organizations[0].organizationId' },
      { flags: '--name <name>', at: 'organizations[0].organizationName' },
      metadata('organizations[0]'),
    ],
    existing: async (connection, data: DataOf<typeof updateOrganizations>) =>
      unchangedAmong(...(await compared(connection, data))),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: [
      'commonhold org update acme --name "Acme Corporation"',
      `commonhold org update acme --metadata '{"plan": "pro"}'`,
    ],
  },
  {
    name: 'org disable',
    operation: disableOrganizations,
    summary: 'Disable organizations',
    parameters: [ORGS],
    fixed: { disabled: true },
    existing: async (connection, data: Naming) =>
      alreadyWith(data.organizationIds, { disabled: true }, await named(connection, data)),
    unchangedSays: ALREADY_DISABLED,
    show: items,
    examples: ['commonhold org disable acme'],
  },
  {
    name: 'org enable',
    operation: disableOrganizations,
    summary: 'Enable organizations',
    parameters: [ORGS],
    fixed: { disabled: false },
    existing: async (connection, data: Naming) =>
      alreadyWith(data.organizationIds, { disabled: false }, await named(connection, data)),
    unchangedSays: NOT_DISABLED,
    show: items,
    examples: ['commonhold org enable acme'],
  },
  {
    name: 'org delete',
    operation: deleteOrganizations,
    parameters: [ORGS],
    confirm: ({ organizationIds }: { organizationIds: string[] }) =>
      `Delete ${organizationIds.join(', ')} with everything in it?`,
    show: items,
    examples: ['commonhold org delete acme --yes'],
  },
]
