/**
 * What the server measures, with the names, the help texts and the labels that Prometheus gets (ADR 0022). Label values come
 * from lists in the code (statements, operations, queues, outcomes), never from a caller, except the ids of the first 100 API
 * keys in `commonhold_usage_total`.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Histogram buckets for statements, for requests, and for work that other servers take part in. */
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10]
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const DELIVERY_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

const SAME_EVERYWHERE = 'Every process reports the same value.'

export function defineMetrics(registry: Registry) {
  const registers = [registry]

  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })

  const info = gauge(
    'commonhold_info',
    'Always 1. The labels have the version and the database engine.',
    'version',
    'engine',
  )
  const requests = histogram(
    'http_request_duration_seconds',
    'Time from the headers of a request to the end of its response, by operation of the contract and HTTP status.',
    ['operation', 'status'],
    REQUEST_SECONDS,
  )
  const statements = histogram(
    'commonhold_statement_duration_seconds',
    'Time of a database statement, from sending it to receiving its last row.',
    ['statement'],
    STATEMENT_SECONDS,
  )
  const statementErrors = counter(
    'commonhold_statement_errors_total',
    'Statements that failed, by SQLSTATE or "connection". Includes lost races and short lock timeouts, which are retried.',
    'statement',
    'code',
  )
  const batchRequests = histogram(
    'commonhold_batch_requests',
    'Requests that share one run of a statement.',
    ['statement'],
    BATCH_SIZES,
  )
  const batchRows = histogram(
    'commonhold_batch_rows',
    'Rows that one run of a shared statement processes.',
    ['statement'],
    BATCH_SIZES,
  )
  const queuedRows = gauge('commonhold_queued_rows', 'Rows that wait for a run of a shared statement.', 'statement')
  const slowLanes = gauge(
    'commonhold_slow_lanes',
    'Sets of organizations that are locked by other changes; their requests wait in a slow lane.',
    'statement',
  )
  const turns = gauge('commonhold_turns_waiting', 'Changes that wait for their turn at an organization or API key.')
  const largestKeys = gauge(
    'commonhold_key_database_seconds',
    'Database time that the calls of one API key or workspace used in the last minute, for the five that used the most; rank 1 used the most. The log names them.',
    'rank',
  )
  const jobs = histogram(
    'commonhold_job_duration_seconds',
    'Time of a job that this process ran, by queue and outcome. A failed job is retried.',
    ['queue', 'outcome'],
    DELIVERY_SECONDS,
  )
  const attempts = histogram(
    'commonhold_webhook_attempt_duration_seconds',
    'Time of an attempt by this process to deliver a webhook message, by outcome.',
    ['outcome'],
    DELIVERY_SECONDS,
  )
  const mails = counter(
    'commonhold_mail_attempts_total',
    'Attempts by this process to send a mail, by carrier and outcome.',
    'carrier',
    'outcome',
  )
  const usage = counter(
    'commonhold_usage_total',
    'What this process has counted for an API key and written to the database, by kind: calls, refused, failed and checks. After the first 100 keys, all others share the key "other".',
    'api_key',
    'kind',
  )
  const connections = gauge('commonhold_database_connections', 'Connections of this process, by state.', 'state')
  const connectionsMax = gauge(
    'commonhold_database_connections_max',
    'The maximum number of connections of this process.',
  )
  const connectionWaits = gauge('commonhold_database_waiting', 'Callers that wait for a connection.')
  const databaseUp = gauge(
    'commonhold_database_up',
    'Whether the database responded to this scrape in time; if not, the metrics that need it are left out.',
  )
  const databaseWritable = gauge(
    'commonhold_database_writable',
    '0 if the database refused a change in the last 15 seconds because its storage is full or it is read-only, otherwise 1.',
  )
  const primary = {
    isSeen: gauge(
      'commonhold_database_primary',
      'Whether this process sees a PostgreSQL server that is primary and may be used; always 1 with the embedded engine.',
    ),
    isDisputed: gauge(
      'commonhold_database_disputed',
      '1 while this process uses no PostgreSQL server because two say that they are primary, or the only one is a former primary.',
    ),
    timeline: gauge('commonhold_database_timeline', 'The timeline of the primary, which each promotion increases.'),
    changes: gauge(
      'commonhold_database_primary_changes',
      'How often another PostgreSQL server, or a new timeline, became the one in use since this process started.',
    ),
    behind: gauge(
      'commonhold_standby_behind_bytes',
      'How much of the log of the primary a standby of DATABASE_URL does not have yet. A standby that does not respond is left out.',
      'host',
    ),
  }

  const backlog = <Label extends string>(name: string, what: string, ...labelNames: Label[]) => ({
    waiting: gauge(name, `${what} ${SAME_EVERYWHERE}`, ...labelNames),
    oldest: gauge(
      `${name}_oldest_seconds`,
      `How long the oldest of these has waited. ${SAME_EVERYWHERE}`,
      ...labelNames,
    ),
  })
  const backlogs = {
    jobs: {
      waiting: gauge(
        'commonhold_jobs',
        `Jobs that are not finished, up to 10,000 in a queue: ready to run, deferred until later, or active. ${SAME_EVERYWHERE}`,
        'queue',
        'state',
      ),
    },
    webhooks: backlog(
      'commonhold_webhook_deliveries_due',
      'Webhook messages that are due, up to 1,000 for each of 1,000 endpoints, by whether the last attempt at their endpoint failed.',
      'endpoints',
    ),
    mails: backlog(
      'commonhold_mails_waiting',
      'Mails that are not sent yet, up to 10,000. Includes mails that are retried, and not those that wait for a disabled key.',
      'carrier',
    ),
    followers: backlog(
      'commonhold_followers_behind',
      'API keys with events that a follower has not read yet.',
      'consumer',
    ),
  }

  return {
    info,
    requests,
    statements,
    statementErrors,
    batchRequests,
    batchRows,
    queuedRows,
    slowLanes,
    turns,
    largestKeys,
    jobs,
    attempts,
    mails,
    usage,
    connections,
    connectionsMax,
    connectionWaits,
    databaseUp,
    databaseWritable,
    primary,
    backlogs,
  }
}
