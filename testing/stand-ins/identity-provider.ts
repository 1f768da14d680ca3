/** A real OpenID Connect provider on this machine, with accounts of the test's choosing, and a browser that signs in with it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { cleanUp } from '../clean-up.ts'

export interface TestAccount {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export interface IdentityProvider {
  issuer: string
  /** The account that signs in next. */
  account: TestAccount
  stop(): Promise<void>
}

export const CLIENT = { clientId: 'commonhold', clientSecret: 'a-secret-of-the-provider' }

/** Starts a provider that knows one client, which may use all redirect URIs that begin with `redirectUri`. */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const started: IdentityProvider = {
    issuer,
    account: { sub: 'ada' },
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const accounts = new Map<string, TestAccount>()
  const provider = new Provider(issuer, {
    clients: [
      { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUri] },
      { client_id: 'other', client_secret: 'other', redirect_uris: [redirectUri] },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }] },
    cookies: { keys: ['a key of the cookies of the provider'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 300, IdToken: 300, Interaction: 300, Session: 300 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
    async loadExistingGrant(context) {
      const { provider, client, session, params } = context.oidc
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' })
      grant.addOIDCScope(String(params?.scope))
      await grant.save()
      return grant
    },
  })
  provider.Client.prototype.redirectUriAllowed = (uri: string) => uri.startsWith(redirectUri)
  const handle = provider.callback()
  http.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    const { account } = started
    accounts.set(account.sub, account)
    return provider.interactionFinished(request, response, { login: { accountId: account.sub } })
  })
  cleanUp(() => started.stop())
  return started
}

/** The page that a browser shows in the end, or the address of the redirect at which it stops. */
export interface Visited {
  url: string
  status: number
  text: string
}

/** A browser with cookies by host, as sites set them. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Opens an address and follows redirects, up to one that begins with `until`, which is not opened. */
  async open(address: string, { until, headers = {} }: { until?: string; headers?: object } = {}): Promise<Visited> {
    let url = address
    for (let step = 0; step < 20; step++) {
      if (until !== undefined && url.startsWith(until)) return { url, status: 0, text: '' }
      const jar = this.#jar(url)
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, { redirect: 'manual', headers: { ...headers, cookie } })
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        jar.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, text: await response.text() }
      url = new URL(location, url).href
    }
    throw new Error(`${address} leads nowhere`)
  }

  cookie(url: string, name: string): string | undefined {
    return this.#jar(url).get(name)
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    return jar
  }
}
