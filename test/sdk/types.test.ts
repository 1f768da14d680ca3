/** The generated types of the client are equivalent to the schemas of the contract, and refuse metadata that looks like protection. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { ROOT } from '../../scripts/root.ts'

/** The name such as `addPermissions`, the file that exports it, and whether it has a result. */
async function operations(): Promise<{ constant: string; file: string; hasResult: boolean }[]> {
  const files = globSync('contract/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const exported = await Promise.all(
    files.map(async (file) =>
      Object.entries<unknown>(await import(path.join(ROOT, file))).map(([name, value]) => ({ name, value, file })),
    ),
  )
  return OPERATIONS.flatMap((operation) =>
    exported
      .flat()
      .filter(({ value }) => value === operation)
      .map(({ name, file }) => ({ constant: name, file, hasResult: operation.result !== undefined })),
  )
}

const HEAD = `
import type { DataOf, ResultOf } from '${ROOT}/contract/core/operation.ts'
import type * as client from '${ROOT}/sdk/index.ts'

/** The client accepts read-only lists. */
type Writable<Type> = Type extends readonly (infer Item)[] ? Writable<Item>[] : Type extends object ? { -readonly [Key in keyof Type]: Writable<Type[Key]> } : Type
/** Objects without known fields are unspecified in the contract; the client declares whether they are open. */
type Plain<Type> = Type extends readonly (infer Item)[] ? Plain<Item>[] : Type extends object ? ([keyof Type] extends [never] ? any : { [Key in keyof Type]: Plain<Type[Key]> }) : Type
type Takes<Contract, Client> = [Writable<Client>] extends [Plain<Contract>] ? true : 'the client lets pass what the contract does not'
type Same<Contract, Client> = [Plain<Contract>] extends [Writable<Client>] ? Takes<Contract, Client> : 'the client does not let pass what the contract does'
`

/** The client is more precise than the contract about the families of event types. */
const MORE_PRECISE = ['listEvents', 'listAccountEvents']

/** Compiles all texts at once, and returns the compiler's errors for each; none if it is right. */
function compilerSays<Name extends string>(texts: Record<Name, string>): Record<Name, string> {
  const folder = temporaryFolder()
  const names = Object.keys(texts) as Name[]
  for (const name of names) writeFileSync(path.join(folder, `${name}.mts`), texts[name])
  const tsconfig = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [path.join(ROOT, 'node_modules/@types')] },
    include: ['*.mts'],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const faults = output(path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--checkers', '1').split(
    /^(?=\S)/m,
  )
  const isOf = (fault: string, name: Name) => fault.split('(', 1)[0]?.endsWith(`${name}.mts`) === true
  // An error without a file counts for every text.
  const saysOf = (name: Name) => faults.filter((fault) => isOf(fault, name) || !names.some((one) => isOf(fault, one)))
  return Object.fromEntries(names.map((name) => [name, saysOf(name).join('')])) as Record<Name, string>
}

/** Runs a script, whether or not it succeeds. */
function output(script: string, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout: string }).stdout)
  }
}

/** Compares each type of the client with the schema of the contract. */
async function comparisons(): Promise<string> {
  const all = await operations()
  assert.equal(all.length, OPERATIONS.length)
  const checks = all.flatMap(({ constant, file, hasResult }) => {
    const name = constant.charAt(0).toUpperCase() + constant.slice(1)
    const operation = `typeof import('${ROOT}/${file}').${constant}`
    return [
      `export const ${constant}Data: ${MORE_PRECISE.includes(constant) ? 'Takes' : 'Same'}<DataOf<${operation}>, client.${name}Data> = true`,
      ...(hasResult
        ? [`export const ${constant}Result: Same<ResultOf<${operation}>, client.${name}Result> = true`]
        : []),
    ]
  })
  return HEAD + checks.join('\n')
}

const CALLS = `
import { isFound, type Client, type DocumentRecord, type ItemResult, type OrganizationRecord, type UserGroupRecord, type UserRecord } from '${ROOT}/sdk/index.ts'
export async function called(client: Client, documentIds: string[], grouped: boolean, maybe: { documentIds?: string[] }) {
  const acme = { organizationId: 'acme' }
  const all: DocumentRecord[] = await client.documents.get(acme)
  const some = await client.documents.get({ ...acme, documentIds })
  // @ts-expect-error: an id may be unknown
  const known: DocumentRecord[] = some
  const found: DocumentRecord[] = some.filter(isFound)
  const codes: ItemResult['code'][] = some.flatMap((one) => isFound(one) ? [] : [one.code])
  const either: (DocumentRecord | ItemResult)[] = await client.documents.get({ ...acme, ...maybe })
  const thrown: DocumentRecord[] = await client.documents.get({ ...acme, documentIds }, { throwOnItemFailure: true })
  for await (const { data } of client.documents.get.pages(acme)) data.map(({ documentName }) => documentName?.length)
  const organizations: OrganizationRecord[] = await client.organizations.get()
  const two = await client.organizations.get({ organizationIds: ['acme'] })
  const names = two.map((one) => isFound(one) ? one.organizationName : one.message)
  const groups: UserGroupRecord[] = await client.userGroups.get(acme)
  const users: UserRecord[] = await client.users.get(acme)
  const byDocument: Record<string, UserRecord[]> = await client.users.get({ ...acme, allDocuments: true, groupByDocumentId: true })
  const unknown = await client.users.get({ ...acme, groupByDocumentId: grouped })
  // @ts-expect-error: they may be grouped
  unknown.map(String)
  // @ts-expect-error: a user or a group
  await client.grant({ resource: { type: 'organization', id: 'acme' }, accessRole: 'viewer' })
  return [all, known, found, codes, either, thrown, organizations, names, groups, users, byDocument]
}
`

/** Objects that take metadata: a type, its id, and its own field for access. */
const OPEN: [type: string, id: string, own?: string][] = [
  ['AddOrganizationsData["organizations"][number]', "organizationId: 'acme'"],
  ['UpdateOrganizationsData["organizations"][number]', "organizationId: 'acme'"],
  ['AddDocumentsData["documents"][number]', "documentId: 'plan'", "accessType: 'restricted'"],
  ['UpdateDocumentsData["documents"][number]', "documentId: 'plan'"],
  ['AddUsersData["users"][number]', "userId: 'ada'", "accessRole: 'viewer'"],
  ['UpdateUsersData["users"][number]', "userId: 'ada'", "accessRole: 'viewer'"],
  ['SetProfilesData["users"][number]', "userId: 'ada'"],
  ['UserProperties', "name: 'Ada'"],
  ['AddFoldersData["folders"][number]', "folderId: 'plans'", "accessType: 'restricted'"],
]
const REFUSED = [
  ...["access: 'restricted'", "accessLevel: 'public'", "visibility: 'organizationPrivate'", "role: 'viewer'"],
  ...["sharing: 'public' as string", "permissions: 'editor'", "privacySettings: 'restricted'"],
]
const TAKEN = [
  ...["color: 'red'", "status: 'public'", "jobRole: 'editor'", "accessibility: 'good'", "metadata: { a: 'b' }"],
  ...['access: true', 'role: { id: 7 }', "visibility: ['team']"],
]
const other = (own = '') =>
  ['accessType', 'accessRole'].filter((name) => !own.startsWith(name)).map((name) => `${name}: 'restricted'`)

/** Lists of objects, with fields that the client must refuse or accept. */
function fieldsOfMetadata(): string {
  const lists = OPEN.map(([type, id, own], index) => {
    const refused = [...REFUSED, ...other(own)].map((field) => `// @ts-expect-error\n{ ${id}, ${field} },\n`)
    const taken = [...(type.includes('Folders') ? [] : TAKEN), ...(own === undefined ? [] : [own])]
    return `export const list${index}: client.${type}[] = [\n${refused.join('')}${taken.map((field) => `{ ${id}, ${field} },\n`).join('')}]\n`
  })
  return `import type * as client from '${ROOT}/sdk/index.ts'\n${lists.join('')}`
}

describe('the types of the client', () => {
  let says: Record<'comparisons' | 'calls' | 'metadata', string>
  beforeAll(async () => {
    says = compilerSays({ comparisons: await comparisons(), calls: CALLS, metadata: fieldsOfMetadata() })
  })

  it('are those of the contract', () => assert.equal(says.comparisons, ''))

  it('of a result follow from the request', () => assert.equal(says.calls, ''))

  it('refuse texts under names that suggest access in objects with metadata, and nothing else', () =>
    assert.equal(says.metadata, ''))
})
