/** `commonhold buckets check`: reports faults of the buckets of an installation, and what to do. It changes nothing. */
import type pg from 'pg'
import { migrationVersion } from '#platform/db/migrate.ts'
import { isCode } from '#platform/db/pg-errors.ts'
import { urlContext } from './directory.ts'
import { fencedKeys } from './key-move/fence.ts'
import { GET_KEY_MOVES_OF_BUCKET } from './key-move/statements.ts'
import { connectTo, first, placesOf } from './move/servers.ts'
import { GET_MOVE } from './move/statements.ts'
import type { MoveDeps } from './move/stored-move.ts'
import { isClosed } from './move/switch.ts'
import { placeOf } from './sources.ts'
import { type BucketRow, GET_BUCKETS, GET_KEYS_OF_BUCKET } from './statements.ts'

/** What a check has found, in the form of the checks of `commonhold doctor`. */
export interface Found {
  check: string
  outcome: 'ok' | 'warning' | 'failed'
  says: string
  next?: string
  /** The exit code of `doctor` for a failed check, by its name. */
  exit?: 'unreachable' | 'later' | 'no'
}

type Deps = Pick<MoveDeps, 'home' | 'sealer' | 'atHome'>

/** The result of a check of a bucket, without the name of the bucket. */
type Finding = Omit<Found, 'check'>

const warning = (says: string, next: string): Finding => ({ outcome: 'warning', says, next })
const failed = (exit: NonNullable<Found['exit']>, says: string, next: string): Finding => ({
  ...{ outcome: 'failed', exit },
  ...{ says, next },
})

/** A key is created in its bucket a moment before the home database has its place. */
const CREATED_BEFORE_MS = 60_000
const NAMED_MAX = 3

/** Checks all buckets, in the order of their names. */
export async function checkBuckets(deps: Deps): Promise<Found[]> {
  const rows = await deps.home.run(GET_BUCKETS)
  const found = rows.map(async (row) =>
    (await checkBucket(deps, row)).map((finding): Found => ({ check: `bucket ${row.name}`, ...finding })),
  )
  return (await Promise.all(found)).flat()
}

async function checkBucket(deps: Deps, { name, sealedUrl }: BucketRow): Promise<Finding[]> {
  const { home, sealer } = deps
  const open = (sealed: Buffer) => sealer.open(sealed, urlContext(name))
  const registered = open(sealedUrl)
  const url = (await placeOf(registered)).at ?? registered
  const at = placesOf(url)
  const [move] = await home.run(GET_MOVE, [name])
  const client = await connectTo(url).catch((error: Error) => error)
  if (client instanceof Error)
    return [
      failed(
        'unreachable',
        client.message,
        `Calls about its API keys return UNAVAILABLE until then. If its address or password has changed: BUCKET_URL=… commonhold buckets set ${name}`,
      ),
    ]
  try {
    if (await isClosed(client))
      return [
        failed(
          'later',
          `${at} is closed by a move, and the bucket is UNAVAILABLE.`,
          move === undefined
            ? `It was moved, and the home database does not know it: BUCKET_URL=… commonhold buckets set ${name}`
            : `The move was interrupted at its switch. A server that reaches both databases finishes it; or at once: commonhold buckets move ${name}`,
        ),
      ]
    const version = await versionOf(client)
    if (version !== migrationVersion) return [versionDiffers(at, version), ...moves()]
    const moving = (await home.run(GET_KEY_MOVES_OF_BUCKET, [name])).map(({ apiKeyId }) => apiKeyId)
    const keys = await compareKeys(deps, name, client, moving)
    const held = (await fencedKeys(client)).filter((id) => !moving.includes(id))
    const wrong = [...keys.found, ...moving.map(keyMoves), ...held.map(keyIsHeld), ...moves()]
    const count = keys.placed === 1 ? '1 API key' : `${keys.placed} API keys`
    return wrong.length > 0 ? wrong : [{ outcome: 'ok', says: `${at}: ${count}, schema version ${version}` }]
  } finally {
    await client.end()
  }

  function moves(): Finding[] {
    if (move === undefined) return []
    const to = placesOf(open(move.sealedTo))
    const from = placesOf(open(move.sealedFrom))
    return move.switchedAt === null
      ? [
          warning(
            `It is being moved to ${to}, and the switch has not happened.`,
            `If no command is working on it: commonhold buckets move ${name} continues, and --undo gives it up.`,
          ),
        ]
      : [
          warning(
            `It was moved to ${to}, and ${from} is kept to go back.`,
            `To end the move: commonhold buckets move ${name} --confirm; to go back: --undo`,
          ),
        ]
  }
}

const keyMoves = (apiKeyId: string): Finding =>
  warning(
    `The API key ${apiKeyId} is being moved from or to this bucket.`,
    'If no command is working on it: servers accept changes again; start commonhold buckets move-key again, with the same place.',
  )

const keyIsHeld = (apiKeyId: string): Finding =>
  failed(
    'no',
    `Changes of the API key ${apiKeyId} are refused (api_key_moving), and the home database knows of no move.`,
    'Was the home database restored to an earlier moment? Restore a newer backup of it, or start commonhold buckets move-key again.',
  )

async function versionOf(client: pg.ClientBase): Promise<number> {
  try {
    const row = await first<{ version: number }>(client, 'select max(version)::int as version from schema_migrations')
    return row?.version ?? 0
  } catch (error) {
    if (isCode(error, '42P01')) return 0
    throw error
  }
}

function versionDiffers(at: string, version: number): Finding {
  return version < migrationVersion
    ? warning(
        `${at} has schema version ${version}, and this version of Commonhold has ${migrationVersion}.`,
        'A server of this version upgrades it when it opens the bucket: its log says why it has not.',
      )
    : failed(
        'no',
        `${at} has schema version ${version}, which this version of Commonhold does not know.`,
        'Use the version that has upgraded it, or a newer one.',
      )
}

/**
 * Compares the keys that the home database has placed in a bucket with the keys that the bucket has. Keys that are
 * being moved are in two databases, and left out.
 */
async function compareKeys({ home, atHome }: Deps, name: string, client: pg.ClientBase, moving: readonly string[]) {
  const isSettled = ({ id }: { id: string }) => !moving.includes(id)
  const placedIn = async () =>
    new Set((await home.run(GET_KEYS_OF_BUCKET, [name])).filter(isSettled).map(({ id }) => id))
  const before = await placedIn()
  const { rows } = await client.query<{ id: string; age: number }>(
    `select api_key_id as id, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as age from api_keys`,
  )
  // Keys that were created or deleted meanwhile differ for a moment.
  const placed = await placedIn()
  const there = rows.filter(isSettled)
  const ids = new Set(there.map(({ id }) => id))
  const lost = [...before].filter((id) => placed.has(id) && !ids.has(id))
  const extra = there
    .filter(({ id, age }) => !before.has(id) && !placed.has(id) && age > CREATED_BEFORE_MS)
    .map(({ id }) => id)
  const { rows: atBoth } = await atHome.query<{ id: string }>(
    'select api_key_id as id from api_keys where api_key_id = any ($1)',
    [[...placed]],
  )
  const found: Finding[] = []
  if (lost.length > 0)
    found.push(
      failed(
        'no',
        `${named(lost)} not there, although the home database has ${lost.length === 1 ? 'its place' : 'their places'}: calls return UNAUTHENTICATED.`,
        'The bucket was restored to an earlier moment, or its URL names another database. Restore a newer backup, or correct the URL.',
      ),
    )
  if (extra.length > 0)
    found.push(
      warning(
        `${named(extra)} there without a place in the home database: nobody can call with ${extra.length === 1 ? 'it' : 'them'}.`,
        'A creation was interrupted, which is harmless; or the home database was restored to an earlier moment: restore a newer backup of it.',
      ),
    )
  if (atBoth.length > 0)
    found.push(
      failed(
        'no',
        `${named(atBoth.map(({ id }) => id))} in the home database too, where nobody uses ${atBoth.length === 1 ? 'it' : 'them'}.`,
        'Was a backup of the bucket restored into the home database? Restore both.',
      ),
    )
  return { placed: placed.size, found }
}

function named(ids: readonly string[]): string {
  const shown = ids.toSorted().slice(0, NAMED_MAX).join(', ')
  const more = ids.length > NAMED_MAX ? ', …' : ''
  return ids.length === 1 ? `The API key ${shown} is` : `${ids.length} API keys (${shown}${more}) are`
}
