/** The table of settings: name, default, meaning and values. `config.ts` reads them, and docs/reference/configuration.md shows them. */
import { LIMITS } from '#contract/core/limits.ts'
import {
  collector,
  flag,
  key,
  keys,
  matching,
  moment,
  nameServers,
  oneOf,
  part,
  postgresUrl,
  proxies,
  secret,
  setting,
  smtpServer,
  text,
  webAddress,
  whole,
} from './setting-values.ts'

export const SETTINGS = {
  HOST: setting('127.0.0.1', 'The address to listen on.', text),
  PORT: setting('8080', 'The port to listen on; 0 picks a free one.', whole(0, 65_535)),
  DATABASE_URL: setting(
    null,
    'PostgreSQL 15 or newer, such as `postgres://user:password@host:5432/commonhold`. With standbys it names all hosts, `host1:5432,host2:5432`, and the primary among them is used. Without it the embedded engine is used.',
    postgresUrl,
  ),
  DATABASE_CONNECTIONS: setting(
    '10',
    'The maximum number of connections that one process opens to PostgreSQL.',
    whole(2, 1_000),
  ),
  STATEMENT_TIMEOUT_MS: setting(
    '30000',
    'A statement that takes longer is canceled and the call fails with DEADLINE_EXCEEDED (PostgreSQL only).',
    whole(100, 3_600_000),
  ),
  REQUEST_TIMEOUT_MS: setting(
    '60000',
    'A call that takes longer, waiting included, is ended with DEADLINE_EXCEEDED, and what it has not committed is rolled back. Moves and deletions of folders, documents, organizations and API keys may take an hour.',
    whole(1_000, 3_600_000),
  ),
  DATA_DIR: setting('./data', 'The data folder of the embedded engine. Only one process at a time can use it.', text),
  MASTER_KEY: setting(
    null,
    'Encrypts stored secrets: 32 bytes as base64 or hex. Required with `DATABASE_URL`; the embedded engine creates one in `DATA_DIR/master.key`.',
    key,
  ),
  MASTER_KEY_PREVIOUS: setting(
    null,
    'The earlier master keys, separated by commas. They still decrypt the secrets that they encrypted, until `commonhold master-key reseal` has encrypted them again.',
    keys,
  ),
  PUBLIC_URL: setting(
    null,
    'The URL at which callers reach this server. It is the `iss` of user tokens and the base of the URLs in the AuthZEN metadata. If it is https, the console sends its cookie only over https. Default: `http://HOST:PORT`.',
    webAddress,
  ),
  TRUST_PROXY: setting(
    null,
    'The proxies whose `X-Forwarded-For` is trusted: addresses or ranges, separated by commas.',
    proxies,
  ),
  HEADER_PREFIX: setting(
    'service',
    'The word in the names of headers: with `acme` they are `x-acme-api-key` and so on.',
    matching(/^[a-z0-9](-?[a-z0-9])*$/, 'be lower-case letters, digits and single hyphens'),
  ),
  SIGNUP: setting(
    null,
    'Who may create workspaces: `open` (everybody), `token` (callers that send `SIGNUP_TOKEN`) or `closed` (nobody). Default: `token` with the embedded engine, `closed` with PostgreSQL.',
    oneOf('open', 'token', 'closed'),
  ),
  SIGNUP_TOKEN: setting(
    null,
    'The value that callers send as `x-service-signup-token` with `SIGNUP=token`; at least 16 characters. Default with the embedded engine: the token in `DATA_DIR/operator.token`, which the first start creates.',
    secret,
  ),
  STRICT_FIELDS: setting(
    'true',
    '`false` ignores unknown fields of requests instead of rejecting them, and names them in a response header, for clients written for a hosted service.',
    flag,
  ),
  REVEAL_SECRETS: setting(
    'false',
    '`true` returns the secrets in e-mail and webhook settings in plain text instead of masked, for clients written for a hosted service.',
    flag,
  ),
  PRODUCTION_KEYS_PER_WORKSPACE: setting(
    '0',
    'The maximum number of production keys of a workspace; 0: no limit.',
    whole(0, 1_000_000),
  ),
  RATE_LIMIT_PER_KEY: setting(
    '0',
    'The maximum number of requests per second for each API key or workspace, counted by each process; 0: no limit.',
    whole(0, 1_000_000),
  ),
  CONCURRENT_CALLS_PER_KEY: setting(
    '500',
    'How many calls of an API key or workspace may be under way, counted by each process; 0: no limit.',
    whole(0, 1_000_000),
  ),
  DATABASE_MS_PER_KEY: setting(
    '2000',
    'For how many milliseconds in a second the calls of an API key or workspace may use the database, counted by each process: 2000 is two connections that are always busy. Access checks of fewer than 256 questions never reach it by themselves, because the checks of all callers share one statement at a time. The budget of up to one minute can be used at once; 0: no limit.',
    whole(0, 1_000_000),
  ),
  RATE_LIMIT_PUBLIC: setting(
    '60',
    'The maximum number of calls without credentials, and of calls with wrong ones, per minute for each address (IPv6: each /64), counted by each process; 0: no limit.',
    whole(0, 1_000_000),
  ),
  BODY_BYTES_MAX: setting(
    String(LIMITS.bodyBytesMax),
    'The maximum size of a request body, in bytes.',
    whole(1_024, 256 * 1024 * 1024),
  ),
  EXPIRED_GRANTS_KEPT_DAYS: setting(
    '30',
    'How many days an expired grant is kept after its event `permission.expired`; 0: indefinitely. While it is kept, the reason of a denial is `grant_expired`; afterwards it is `no_grant`.',
    whole(0, 36_500),
  ),
  EVENT_RETENTION_DAYS: setting(
    '0',
    'How many days events are kept; 0: indefinitely. An event is deleted only after webhooks and e-mail have processed it.',
    whole(0, 36_500),
  ),
  SMTP_URL: setting(
    null,
    'The mail server of API keys whose e-mail service is `default`, such as `smtps://user:password@mail.example.com:465` or `smtp://…:587?requireTLS=true`. Without it these keys send no mail.',
    smtpServer,
  ),
  MAIL_FROM: setting(
    null,
    'The sender address of mails sent through `SMTP_URL`. Required with it.',
    matching(/^[^\s@<>]+@[^\s@<>]+$/, 'be an e-mail address'),
  ),
  MAILS_PER_RECIPIENT: setting(
    '20',
    'How many mails an address gets in an hour through `SMTP_URL`, for all API keys together; later mails wait. 0: no limit.',
    whole(0, 1_000_000),
  ),
  MAIL_CONFIRM_OWNERS: setting(
    'false',
    '`true` sends mail to the owners of API keys through `SMTP_URL` only after they have confirmed their address with the link of a first mail.',
    flag,
  ),
  LOGIN_LINKS: setting(
    'true',
    '`false` sends no links with which the owners of workspaces sign in to the console. Without `SMTP_URL` none are sent either.',
    flag,
  ),
  SENDGRID_URL: setting(
    'https://api.sendgrid.com',
    'The API to which mails of API keys whose e-mail service is `sendgrid` are sent.',
    webAddress,
  ),
  WEBHOOK_ALLOW_PRIVATE: setting(
    'false',
    '`true` lets webhooks and calls to permission and sign-in providers connect to internal addresses: this machine, private networks, cloud metadata services. For development.',
    flag,
  ),
  DNS_SERVERS: setting(
    null,
    'The name servers that prove the domains of single sign-on: IP addresses, with or without ports, separated by commas. Default: the name servers of this machine.',
    nameServers,
  ),
  WEBHOOK_RATE_PER_HOST: setting(
    '500',
    'How many requests a second a host gets from the webhooks of all API keys, counted by each process; 0: no limit.',
    whole(0, 1_000_000),
  ),
  WEBHOOK_ATTEMPTS_KEPT_DAYS: setting(
    '30',
    'How many days the log of webhook attempts is kept; 0: indefinitely.',
    whole(0, 36_500),
  ),
  STOP_DELAY_SECONDS: setting(
    '0',
    'How many seconds the server keeps serving after SIGTERM or SIGINT. `/readyz` returns 503 immediately, which gives a load balancer time to stop sending requests.',
    whole(0, 600),
  ),
  METRICS_TOKEN: setting(
    null,
    'Callers that send it as `Authorization: Bearer …` may read `/metrics`; at least 16 characters. Default with the embedded engine: the token in `DATA_DIR/operator.token`. With PostgreSQL, `/metrics` is closed without it.',
    secret,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    null,
    'The collector that receives traces as OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it no traces are recorded. With it the other variables of OpenTelemetry also apply, such as `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_HEADERS`.',
    collector,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'parentbased_always_on',
    'Which traces are recorded: one of the samplers of OpenTelemetry. `parentbased_…` follows the decision of the caller, if there is one.',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    '1',
    'The fraction of traces that `traceidratio` records: a number from 0 to 1.',
    part,
  ),
  CLOCK: setting(
    null,
    'Only for tests: stops the clock that decides whether grants, tokens and keys have expired at this time, such as `2030-01-31T12:00:00Z`. Rejected with `DATABASE_URL` and with `NODE_ENV=production`.',
    moment,
  ),
  LOG_LEVEL: setting(
    'info',
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
} as const
