/** `buckets`: the databases among which an installation divides its API keys. */
import type { Command } from 'commander'
import { addCommand, type Run } from '../../command.ts'
import { becomeServer } from '../../connection/server-process.ts'

const SETTINGS = 'Works on the databases with the settings of `serve`: DATABASE_URL is the home database.'

/** The words of this command line after `buckets`, in the form in which the server reads them. */
const passOn =
  (verb: string, ...names: string[]) =>
  ({ words, options }: Run): Promise<number> => {
    const given = names.flatMap((name) => {
      const value = (options as Record<string, unknown>)[name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase())]
      if (value === undefined || value === false) return []
      return value === true ? [`--${name}`] : [`--${name}`, String(value)]
    })
    return becomeServer(['buckets', verb, ...words.flatMap((word) => word ?? []), ...given])
  }

export function addBuckets(program: Command): void {
  program
    .command('buckets')
    .alias('bucket')
    .summary('Databases for the data of API keys.')
    .description('Databases for the data of API keys.')
    .helpCommand(false)

  addCommand(program, 'buckets list', {
    callsServer: false,
    summary: 'List the buckets with their sizes and load.',
    description: `${SETTINGS} Each bucket is watched for a second.`,
    examples: ['commonhold buckets list', 'commonhold buckets list --json'],
    run: passOn('list', 'json'),
  }).option('--json', 'Print one line of JSON for each bucket.')

  addCommand(program, 'buckets check', {
    callsServer: false,
    summary: 'Check the buckets, and say how to fix each fault.',
    description: `${SETTINGS} Reports databases that cannot be reached or have another version, API keys that are missing or in no bucket, and unfinished moves. Changes nothing; exits with 1 if a check failed.`,
    examples: ['commonhold buckets check', 'commonhold buckets check --json'],
    run: passOn('check', 'json'),
  }).option('--json', 'Print JSON.')

  addCommand(program, 'buckets create', {
    callsServer: false,
    summary: 'Make a database a bucket, to which new API keys go.',
    description: `${SETTINGS} The database must be empty. New keys with this persistenceDBRegion, or those without one, go to the bucket with the fewest keys.`,
    examples: [
      'BUCKET_URL=postgres://… commonhold buckets create eu1',
      'BUCKET_URL=postgres://… commonhold buckets create eu1 --region europe-west1',
      'BUCKET_URL=postgres://… commonhold buckets create eu1 --citus',
    ],
    run: passOn('create', 'url', 'region', 'citus'),
  })
    .argument('<name>', 'Its name: lower-case letters, digits and hyphens.')
    .option('--url <url>', 'Its database. BUCKET_URL keeps the password from other users of this machine.')
    .option('--region <region>', 'The region of its keys, such as europe-west1.')
    .option('--citus', 'The database is on a coordinator of Citus, which places the bucket on a node.')

  addCommand(program, 'buckets set', {
    callsServer: false,
    summary: 'Change the URL or the region of a bucket, or whether it takes new keys.',
    description: `${SETTINGS} A new URL is for another password or address, or for a restored copy: the database must have the data of the bucket.`,
    examples: ['commonhold buckets set eu1 --takes-keys no', 'BUCKET_URL=postgres://… commonhold buckets set eu1'],
    run: passOn('set', 'url', 'region', 'takes-keys'),
  })
    .argument('<name>', 'The bucket.')
    .option('--url <url>', 'Where its database is. BUCKET_URL keeps the password from other users.')
    .option('--region <region>', 'The region of its keys; an empty text removes it.')
    .option('--takes-keys <yes-or-no>', 'Whether new API keys go to it.')

  addCommand(program, 'buckets move', {
    callsServer: false,
    summary: 'Move a bucket to another database while it serves.',
    description: `${SETTINGS} PostgreSQL copies the data and follows the changes; then writes wait for a second or two. Start the same command again if it was interrupted.`,
    examples: [
      'BUCKET_URL=postgres://… commonhold buckets move eu1',
      'commonhold buckets move eu1 --confirm',
      'commonhold buckets move eu1 --undo',
    ],
    run: passOn('move', 'to', 'undo', 'confirm'),
  })
    .argument('<name>', 'The bucket.')
    .option(
      '--to <url>',
      'The new database, which must be empty. BUCKET_URL keeps the password from other users. On Citus: the host:port of a node.',
    )
    .option('--undo', 'Give up the move, or take the bucket back.')
    .option('--confirm', 'End the move: empty the old database.')

  addCommand(program, 'buckets move-key', {
    callsServer: false,
    summary: 'Move one API key with its data to another bucket.',
    description: `${SETTINGS} Changes of the key are refused while its data is copied; reads continue. Start the same command again if it was interrupted.`,
    examples: [
      'commonhold buckets move-key chk_live_… --to eu1',
      'commonhold buckets move-key chk_live_… --to-home',
      'commonhold buckets move-key chk_live_… --undo',
    ],
    run: passOn('move-key', 'to', 'to-home', 'undo'),
  })
    .argument('<key>', 'The API key.')
    .option('--to <bucket>', 'The bucket to which it moves.')
    .option('--to-home', 'Move the key to the home database.')
    .option('--undo', 'Give up the move, which is possible until everything is copied.')
}
