/**
 * Hands requests over to the apps of buckets. The app of the home database receives every request of the process. It
 * passes a request about an API key in a bucket to the app of that bucket before it examines the credentials, with its
 * connection and whole body.
 */
import type { FastifyRequest } from 'fastify'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import { apiKeyOf } from '#http/credentials/named-key.ts'
import type { HandOver } from '#http/pipeline.ts'
import type { BucketApps } from './buckets.ts'

export function handOverTo(
  buckets: BucketApps,
  { session, sessionSecret }: Pick<CredentialLookups, 'session' | 'sessionSecret'>,
  headerPrefix: string,
): HandOver {
  const { directory } = buckets

  /** Operations of workspaces are served at home, or from there: `withKeyOfWorkspace`. */
  function subjectOf(request: FastifyRequest): string | Promise<string | undefined> | undefined {
    const { operation, ofApiKey } = request.routeOptions.config
    if (typeof ofApiKey === 'function') return ofApiKey(request)
    if (operation?.credentials !== 'apiKey' && !ofApiKey) return undefined
    return apiKeyOf(request, headerPrefix) ?? keyOfSession(request)
  }

  /** A session of the console may belong to an API key, which its calls need not name. */
  function keyOfSession(request: FastifyRequest): Promise<string | undefined> | undefined {
    const secret = sessionSecret(request)
    return secret ? session(request, secret).then((signedIn) => signedIn?.apiKeyId) : undefined
  }

  return (request, reply) => {
    if (!directory.hasBuckets) return false
    const subject = subjectOf(request)
    if (subject === undefined || (typeof subject === 'string' && directory.remembered(subject) === undefined))
      return false
    return (async () => {
      const apiKeyId = await subject
      const bucket = apiKeyId === undefined ? undefined : await directory.bucketOf(apiKeyId)
      if (bucket === undefined) return false
      const app = await buckets.app(bucket)
      request.context.isHandedOver = true
      reply.hijack()
      app.http.routing(request.raw, reply.raw)
      return true
    })()
  }
}
