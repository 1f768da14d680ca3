/** Parameters that name and describe resources. */
import type { Parameter } from '../operation-command.ts'
import { json, resourceNamed } from '../values.ts'

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
