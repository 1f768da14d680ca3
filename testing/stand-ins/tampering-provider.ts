/** An OpenID Connect provider that sends false data, as a test specifies, in its discovery document, its redirects and its tokens. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { cleanUp } from '../clean-up.ts'
import { CLIENT } from './identity-provider.ts'

export interface Lies {
  /** Fields of the discovery document. */
  discovery?: object
  /** Parameters of the redirect back. */
  redirect?: Record<string, string>
  claims?: JWTPayload
  /** How the ID token is signed: with a key that the provider does not publish, or not at all. */
  signature?: 'foreign' | 'none'
  /** Fields of the response of the token endpoint. */
  tokens?: object
  /** Replaces the ID token. */
  idToken?: string
  /** Fields of the user info. */
  userInfo?: object
  /** The status of the token endpoint. */
  tokenStatus?: number
}

export interface TamperingProvider {
  issuer: string
  lies: Lies
  /** The ID tokens that it has issued. */
  issued: string[]
}

const HONEST = { sub: 'eve', email: 'eve@example.com', email_verified: true, name: 'Eve' }

export async function startTamperingProvider(): Promise<TamperingProvider> {
  const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(own.publicKey)), alg: 'RS256', use: 'sig', kid: 'own' }
  const nonces = new Map<string, string>()
  const provider: TamperingProvider = { issuer: '', lies: {}, issued: [] }

  async function idToken(nonce: string): Promise<string> {
    const { lies, issuer } = provider
    if (lies.idToken !== undefined) return lies.idToken
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: CLIENT.clientId, iat: now, exp: now + 300, nonce, ...HONEST, ...lies.claims }
    if (lies.signature === 'none') return new UnsecuredJWT(claims).encode()
    const key: CryptoKey = (lies.signature === 'foreign' ? foreign : own).privateKey
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(key)
  }

  const http = createServer(async (request, response) => {
    const { lies, issuer } = provider
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    if (pathname === '/.well-known/openid-configuration')
      return json(response, { ...metadataOf(issuer), ...lies.discovery })
    if (pathname === '/jwks') return json(response, { keys: [jwk] })
    if (pathname === '/userinfo') return json(response, { ...HONEST, ...lies.userInfo })
    if (pathname === '/auth') {
      const code = String(nonces.size)
      nonces.set(code, searchParams.get('nonce') ?? '')
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      const state = searchParams.get('state') ?? ''
      const parameters = { code, state, iss: issuer, ...lies.redirect }
      for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
      return response.writeHead(302, { location: back.href }).end()
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const token = await idToken(nonces.get(new URLSearchParams(body).get('code') ?? '') ?? '')
    provider.issued.push(token)
    return json(
      response,
      { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: token, ...lies.tokens },
      lies.tokenStatus,
    )
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  provider.issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  cleanUp(() => {
    http.closeAllConnections()
    http.close()
  })
  return provider
}

const json = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  authorization_response_iss_parameter_supported: true,
})
