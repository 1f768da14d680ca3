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
import { ALREADY_DISABLED, existingAmong, foundBy, NOT_DISABLED, withState } from './existing.ts'

const ORGS: Parameter = { flags: '<organization...>', at: 'organizationIds' }
const ORG_COLUMNS = [column('ORGANIZATION', 'id'), column('NAME', 'organizationName'), column('DISABLED')]

async function existing(connection: Connection, { organizations }: DataOf<typeof addOrganizations>) {
  const organizationIds = organizations.map(({ organizationId }) => organizationId)
  const found = await foundBy(() => connection.forKey().organizations.get({ organizationIds }))
  return existingAmong(
    organizations.map(({ organizationId: id, ...fields }) => ({ id, ...fields })),
    found ?? [],
  )
}

type Naming = Pick<DataOf<typeof disableOrganizations>, 'organizationIds'>

const named = (connection: Connection, { organizationIds }: Naming) =>
  foundBy(() => connection.forKey().organizations.get({ organizationIds }))

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
    existing,
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
    existing: async (connection, data: Naming) => withState(await named(connection, data), true),
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
    existing: async (connection, data: Naming) => withState(await named(connection, data), false),
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
