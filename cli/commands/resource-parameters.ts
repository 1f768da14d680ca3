/** Parameters that commands for organizations, folders and documents share. */
import type { Parameter } from '../operation-command.ts'
import { json } from '../values.ts'

export const ORG: Parameter = { flags: '-o, --org <organization>', at: 'organizationId' }
export const CREATE_ORG: Parameter = {
  flags: '--create-org',
  at: 'createOrganization',
  help: 'Add the organization if it does not exist.',
}

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
