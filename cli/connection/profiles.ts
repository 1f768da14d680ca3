/** Profiles: named addresses and credentials, in one file that only its owner can read. */

import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { exclusive } from '../exclusive.ts'
import { Failure, wrongUsage } from '../failures.ts'
import { createFolder } from '../folders.ts'
import { io } from '../terminal/io.ts'
import { note } from '../terminal/terminal.ts'
import { readText } from '../text-files.ts'

export interface Profile {
  url: string
  headerPrefix?: string
  apiKey?: string
  authToken?: string
  workspaceId?: string
  workspaceToken?: string
  /** The session of a person, which comes before the tokens, and who that is. */
  session?: string
  person?: string
}

export interface Profiles {
  /** The profile to use when none is named. */
  current?: string
  profiles: Record<string, Profile>
}

export const FIELDS = [
  ...(['url', 'headerPrefix', 'apiKey', 'authToken', 'workspaceId', 'workspaceToken'] as const),
  ...(['session', 'person'] as const),
]
export const SECRETS: readonly string[] = ['authToken', 'workspaceToken', 'session']

/** The variables that name another folder for the profiles, as messages call them. */
const SETTING = 'COMMONHOLD_CONFIG or XDG_CONFIG_HOME'

export function profilesFile(): string {
  const { env } = io()
  if (env.COMMONHOLD_CONFIG) return path.resolve(env.COMMONHOLD_CONFIG)
  const base = env.XDG_CONFIG_HOME && path.isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined
  const usual =
    process.platform === 'win32' && env.APPDATA ? env.APPDATA : path.join(env.HOME || os.homedir(), '.config')
  return path.join(base ?? usual, 'commonhold', 'config.json')
}

/** Returns no profiles if there is no file. Refuses a file that others can read, because its secrets may be known already. */
export function readProfiles(file: string = profilesFile()): Profiles {
  let text: string
  try {
    refuseOpenFile(file)
    text = readText(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    if (error instanceof Failure) throw error
    throw new Failure('credentials', `The profiles cannot be read: ${(error as Error).message}.`)
  }
  return parsed(file, text)
}

/** Examines the file itself, also behind a symbolic link. */
function refuseOpenFile(file: string): void {
  if (process.platform === 'win32') return
  const { mode, uid } = statSync(file)
  if ((mode & 0o077) !== 0)
    throw new Failure(
      'credentials',
      `${file} holds credentials and can be read or changed by others (mode ${(mode & 0o777).toString(8).padStart(4, '0')}).`,
      `chmod 600 ${file}, and if others could read it, replace the tokens in it: commonhold token reset`,
    )
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Failure('credentials', `${file} belongs to another user.`, 'COMMONHOLD_CONFIG names another file.')
}

function parsed(file: string, text: string): Profiles {
  const broken = (what: string) =>
    new Failure('credentials', `${file} is not a valid profiles file: ${what}.`, 'Fix it, or move it away.')
  let value: Partial<Profiles>
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw broken((error as Error).message)
  }
  if (typeof value?.profiles !== 'object' || value.profiles === null) throw broken('it has no profiles')
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (typeof profile?.url !== 'string') throw broken(`the profile ${name} has no url`)
    const faulty = Object.entries(profile).find(([field, part]) => !isField(field) || typeof part !== 'string')
    if (faulty !== undefined) throw broken(`the profile ${name} cannot have ${faulty[0]}`)
  }
  return { current: value.current, profiles: value.profiles }
}

const isField = (field: string): boolean => (FIELDS as readonly string[]).includes(field)

const LOCK_MS_MAX = 10_000

/** Changes the profiles. Commands that change them at the same time do so sequentially. A symbolic link stays one. */
export function changeProfiles(change: (profiles: Profiles) => Profiles): void {
  const named = profilesFile()
  const file = existsSync(named) ? realpathSync(named) : named
  const lock = lockOf(file)
  try {
    writeProfiles(change(readProfiles(file)), file)
  } finally {
    lock?.close()
  }
}

/**
 * Waits until no other command changes the file. The file of the lock stays there: if it were deleted, a command that waits would
 * hold the deleted one, and others another one. Without a lock, where none can be written, the change says why it cannot be either.
 */
function lockOf(file: string): ReturnType<typeof exclusive> {
  let lock: ReturnType<typeof exclusive>
  try {
    createFolder(path.dirname(file), SETTING)
    lock = exclusive(`${file}.lock`, LOCK_MS_MAX)
  } catch {
    return undefined
  }
  if (lock === undefined)
    throw new Failure('later', `Another command is changing ${file}.`, 'Wait until it ends, then retry.')
  return lock
}

/** Replaces the file atomically: a concurrent reader sees the old file or the new one, and a crash leaves one of them. */
function writeProfiles(profiles: Profiles, file: string): void {
  createFolder(path.dirname(file), SETTING)
  const partial = `${file}.${process.pid}`
  try {
    writeFileSync(partial, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(partial, 0o600)
    renameSync(partial, file)
  } finally {
    rmSync(partial, { force: true })
  }
}

/**
 * Creates a profile or adds fields to it. The first profile becomes the current one. Credentials of another server,
 * workspace or API key are removed, so that a secret is sent only to its own server. If one of them is the token of a
 * workspace, which cannot be shown again, the earlier profile is kept under another name, such as `default-2`.
 */
export function saveProfile(name: string, fields: Partial<Profile> & { url: string }): void {
  if (!/^[\w.-]{1,64}$/.test(name))
    throw wrongUsage('The name of a profile must be at most 64 letters, digits, dots, hyphens and underscores.')
  let replaced = ''
  changeProfiles(({ current = name, profiles }) => {
    const previous = profileNamed(name, profiles)
    const kept = keptOf(previous, fields)
    const isLost = previous?.workspaceToken !== undefined && kept.workspaceToken === undefined
    const aside = isLost ? unusedName(name, profiles) : undefined
    if (aside !== undefined)
      replaced = `The profile ${name} had the token of another workspace, ${previous?.workspaceId ?? 'without an id,'} at ${previous?.url}. It is in the profile ${aside} now.`
    return {
      current,
      profiles: {
        ...profiles,
        ...(aside !== undefined && previous !== undefined && { [aside]: previous }),
        [name]: { ...kept, ...fields },
      },
    }
  })
  if (replaced !== '') note(replaced)
}

/** Returns the name with the first number that no profile has. */
function unusedName(name: string, profiles: Profiles['profiles']): string {
  for (let number = 2; ; number++) {
    const candidate = `${name.slice(0, 60)}-${number}`
    if (!Object.hasOwn(profiles, candidate)) return candidate
  }
}

/** Returns the profile of a name; the name may be one that every object has, such as `constructor`. */
export const profileNamed = (name: string, profiles = readProfiles().profiles): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

function keptOf(
  previous: Profile | undefined,
  { url, workspaceId, apiKey, session }: Partial<Profile>,
): Partial<Profile> {
  if (previous === undefined || previous.url !== url) return {}
  const isOtherWorkspace = workspaceId !== undefined && workspaceId !== previous.workspaceId
  const isOtherKey = apiKey !== undefined && apiKey !== previous.apiKey
  const forgotten = [
    ...(isOtherWorkspace ? ['session', 'person', 'workspaceToken'] : []),
    ...(isOtherWorkspace && session !== undefined ? ['apiKey', 'authToken'] : []),
    ...(isOtherKey ? ['authToken'] : []),
  ]
  return Object.fromEntries(Object.entries(previous).filter(([field]) => !forgotten.includes(field)))
}

/** Removes the session of a person from a profile; its tokens stay. */
export function forgetSession(name: string): void {
  if (profileNamed(name) === undefined) return
  changeProfiles((all) => {
    const { session: _, person: __, ...rest } = all.profiles[name] ?? { url: '' }
    return Object.hasOwn(all.profiles, name) ? { ...all, profiles: { ...all.profiles, [name]: rest } } : all
  })
}
