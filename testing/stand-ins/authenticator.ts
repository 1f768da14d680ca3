/** A software authenticator for passkeys (WebAuthn, ES256, attestation `none`), which can also misbehave. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The data that a page and an authenticator send; tests change some of it. */
export interface Claims {
  origin: string
  rpId: string
  challenge: string
  userVerified?: boolean
  type?: string
}

export interface Authenticator {
  credentialId: string
  /** The number of signatures so far; tests set it back. */
  count: number
  register(claims: Claims): object
  authenticate(claims: Claims): object
}

const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()

/** Encodes a byte string in CBOR, with the shortest length. */
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]),
    bytes,
  ])
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])

/** A COSE key: EC2, ES256, P-256, and the point. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = [x, y].map((part) => cborBytes(Buffer.from(part, 'base64url')))
  const [pointX = Buffer.alloc(0), pointY = Buffer.alloc(0)] = point
  const head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]
  return Buffer.concat([Buffer.from(head), pointX, Buffer.from([0x22]), pointY])
}

const clientData = ({ type, challenge, origin }: Claims): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

/** Bytes 0x01: present, 0x04: verified, 0x40: with a credential. */
function authData({ rpId, userVerified = true }: Claims, count: number, credential = Buffer.alloc(0)): Buffer {
  const flags = 0x01 | (userVerified ? 0x04 : 0) | (credential.length > 0 ? 0x40 : 0)
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(count)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, credential])
}

export function createAuthenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const credentialId = id.toString('base64url')
  const answer = (response: object) => ({
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    response,
    clientExtensionResults: {},
  })
  const authenticator: Authenticator = {
    credentialId,
    count: 0,
    register(claims) {
      const client = clientData({ type: 'webauthn.create', ...claims })
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)])
      const data = authData(claims, authenticator.count, credential)
      const attestation = [cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])]
      const object = Buffer.concat([Buffer.from([0xa3]), ...attestation, cborText('authData'), cborBytes(data)])
      return answer({
        clientDataJSON: client.toString('base64url'),
        attestationObject: object.toString('base64url'),
        transports: ['internal'],
      })
    },
    authenticate(claims) {
      const client = clientData({ type: 'webauthn.get', ...claims })
      const data = authData(claims, ++authenticator.count)
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      })
    },
  }
  return authenticator
}
