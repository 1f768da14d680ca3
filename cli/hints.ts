/** Suggests the command or option for a word that other tools use, or for the name of a field of the API. */
import type { Command } from 'commander'

/** The words of other tools, by the name of the command here. If a group has several of these commands, the first is suggested. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  explain: ['why'],
  check: ['can', 'may', 'allowed', 'test'],
  grant: ['permission', 'permissions', 'role', 'roles', 'share'],
  add: ['create', 'new', 'give'],
  create: ['add', 'new'],
  list: ['ls', 'show', 'get'],
  show: ['get'],
  get: ['show'],
  remove: ['rm', 'del', 'delete', 'revoke'],
  delete: ['rm', 'del', 'remove'],
  revoke: ['rm', 'del', 'delete', 'remove'],
  rename: ['update', 'edit'],
  set: ['update', 'edit', 'change'],
}

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  '--expires': [
    ...['for', 'until', 'till', 'expiry', 'expire', 'expires-at', 'expires-in', 'expiration', 'ttl', 'duration'],
    ...['lifetime', 'valid-for', 'end', 'ends'],
  ],
  '--access': ['access-type', 'visibility', 'type'],
  '--type': ['access-type', 'access', 'visibility'],
  '--default-access': ['access', 'access-type', 'default-access-type', 'default-document-access-type'],
  '--role': ['access-role', 'as', 'level', 'permission', 'access-type', 'access'],
  '--default-role': ['role', 'access-role', 'default-access-role'],
  '--roles': ['access-roles'],
  '--org': ['organization', 'organization-id', 'org-id', 'tenant'],
  '--folder': ['folder-id', 'parent', 'in'],
  '--doc': ['document', 'document-id', 'doc-id'],
  '--user': ['user-id'],
  '--url': ['server', 'host', 'endpoint', 'base-url'],
  '--json': ['output', 'format'],
  '--yes': ['force', 'confirm', 'y'],
  '--limit': ['max', 'count', 'page-size'],
}

/** Returns the command that the words name. */
export function commandOf(program: Command, words: readonly string[]): Command {
  let command = program
  for (const word of words.filter((word) => !word.startsWith('-'))) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next === undefined) break
    command = next
  }
  return command
}

/** Returns the name that an unknown subcommand or option has here; undefined if it has no other name. */
export function meantBy(command: Command, unknown: string): string | undefined {
  const [word = ''] = unknown.replace(/^-+/, '').split('=')
  const meaning = ([, words]: [string, readonly string[]]) => words.includes(word)
  if (unknown.startsWith('-'))
    return Object.entries(OPTIONS).find(
      (entry) => meaning(entry) && command.options.some(({ long }) => long === entry[0]),
    )?.[0]
  return Object.entries(COMMANDS).find(
    (entry) => meaning(entry) && command.commands.some((one) => one.name() === entry[0]),
  )?.[0]
}
